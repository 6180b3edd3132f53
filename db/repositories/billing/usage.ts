import type { BillingCategory, PerCategory } from '../../../core/billing/categories.ts';
import { lookUpSql } from '../../look-up-sql.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/**
 * SQL of a common table expression's body: counts emails that the statement queues, or gives back, below 0, those
 * that it cancels.
 *
 * @param rows a query of `project_id`, the instant `at` in whose month they count, and `emails`; a row per project and
 * month
 */
export function countUsageSql(category: BillingCategory, rows: string): string {
  return `
  insert into billing_usage as u (project_id, month, category, lane, emails)
  select project_id, usage_month(at), '${category}', pg_backend_pid() % 16, emails
  from (${rows}) counted
  order by project_id, usage_month(at)
  on conflict (project_id, month, category, lane) do update set emails = u.emails + excluded.emails`;
}

/**
 * SQL of a common table expression's body: gives back emails that the statement cancels, in the months in which they
 * were counted.
 *
 * @param cancelled a query of rows of `emails`, of one category
 */
export function giveBackUsageSql(category: BillingCategory, cancelled: string): string {
  return countUsageSql(
    category,
    `select project_id, min(counted_at) as at, -count(*) as emails
     from (
       select e.project_id, coalesce(k.started_at, e.created_at) as counted_at
       from (${cancelled}) e
       left join lateral (${lookUpSql('campaigns k where k.id = e.campaign_id')}) k on true
     ) e
     group by project_id, usage_month(counted_at)`,
  );
}

export interface Consumption {
  /** The first instant of the calendar month (UTC), and of the next one. */
  start: Date;
  end: Date;
  used: PerCategory<number>;
}

/** What a project has sent and received in the month that is running. Reads at most sixteen rows of each category. */
export async function readConsumption(em: Em, projectId: string): Promise<Consumption> {
  const [row] = await sql<Consumption>(
    em,
    `select now.month::timestamp at time zone 'UTC' as start,
       (now.month + interval '1 month')::timestamp at time zone 'UTC' as "end",
       json_build_object('transactional', ${sumOf('transactional')}, 'campaigns', ${sumOf('campaigns')},
         'workflows', ${sumOf('workflows')}, 'inbound', ${sumOf('inbound')}) as used
     from (select usage_month(now()) as month) now
     left join billing_usage u on u.project_id = $1 and u.month = now.month
     group by now.month`,
    [projectId],
  );
  if (row === undefined) throw new Error('A consumption statement must answer the month');
  return row;
}

const sumOf = (category: BillingCategory) =>
  `greatest(0, coalesce(sum(u.emails) filter (where u.category = '${category}'), 0))`;
