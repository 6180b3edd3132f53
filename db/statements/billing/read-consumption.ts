import { z } from 'zod';
import { type BillingCategory, billingCategories } from '../../../core/billing/categories.ts';
import { recordOf } from '../../../core/record-of.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const row = z.object({
  /** Calendar month in UTC; `end` is exclusive. */
  start: z.date(),
  end: z.date(),
  used: z.object(recordOf(billingCategories, () => z.int())),
});

export type Consumption = z.output<typeof row>;

export function readConsumption(em: Em, projectId: string): Promise<Consumption> {
  const sums = billingCategories.map((category) => `'${category}', ${sumOf(category)}`);
  const sql = `select now.month::timestamp at time zone 'UTC' as start,
       (now.month + interval '1 month')::timestamp at time zone 'UTC' as "end",
       json_build_object(${sums.join(', ')}) as used
     from (select usage_month(now()) as month) now
     left join billing_usage u on u.project_id = $1 and u.month = now.month
     group by now.month`;
  return queryRow(em, row, sql, [projectId]);
}

const sumOf = (category: BillingCategory) =>
  `greatest(0, coalesce(sum(u.emails) filter (where u.category = '${category}'), 0))`;
