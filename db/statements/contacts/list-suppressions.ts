import { z } from 'zod';
import { type SuppressionReason, suppressionReasons } from '../../../core/suppression-reasons.ts';
import { countOrEstimate, type Total } from '../../count-or-estimate.ts';
import type { Em } from '../../orm.ts';
import { type Bind, bindInto, query } from '../../sql.ts';

const suppressionRow = z.object({
  contactId: z.uuid(),
  email: z.string(),
  reason: z.enum(suppressionReasons),
  suppressedAt: z.date(),
  emailId: z.uuid().nullable(),
});

export type SuppressionRow = z.output<typeof suppressionRow>;

export interface SuppressionFilter {
  reasons: readonly SuppressionReason[];
  /** Lower-case prefix of the address. */
  search: string | undefined;
}

export interface SuppressionPosition {
  suppressedAt: string;
  contactId: string;
  email: string;
}

/**
 * A page of suppressions, latest first, or by address when one is searched for. Unites one index range per reason, so
 * that no combination reads more than the page.
 */
export function listSuppressions(
  em: Em,
  projectId: string,
  filter: SuppressionFilter,
  after: SuppressionPosition | undefined,
  limit: number,
): Promise<SuppressionRow[]> {
  const parameters: unknown[] = [];
  const bind = bindInto(parameters);
  const rows = bind(limit);
  const order = filter.search === undefined ? 'suppressed_at desc, id desc' : 'email collate "C"';
  const ranges = rangesSql(projectId, filter, bind).map(
    (range) => `(
       select id, email, suppression_reason, suppressed_at, suppressed_email_id
       from contacts
       where ${range} ${after === undefined ? '' : `and ${behindSql(after, filter, bind)}`}
       order by ${order}
       limit ${rows}
     )`,
  );
  const sql = `select id as "contactId", email, suppression_reason as reason, suppressed_at as "suppressedAt",
       suppressed_email_id as "emailId"
     from (${ranges.join(' union all ')}) found
     order by ${order}
     limit ${rows}`;
  return query(em, suppressionRow, sql, parameters);
}

export function countSuppressions(em: Em, projectId: string, filter: SuppressionFilter): Promise<Total> {
  const parameters: unknown[] = [];
  const ranges = rangesSql(projectId, filter, bindInto(parameters));
  const rows = ranges.map((range) => `select 1 from contacts where ${range}`).join(' union all ');
  return countOrEstimate(em, `from (${rows}) suppressed`, parameters);
}

function rangesSql(projectId: string, { reasons, search }: SuppressionFilter, bind: Bind): string[] {
  const project = bind(projectId);
  const start = search === undefined ? '' : bind(search);
  const address =
    search === undefined
      ? ''
      : `and email collate "C" >= ${start} and email collate "C" < ${start} || chr(1114111)`;
  return reasons.map((reason) => `project_id = ${project} and suppression_reason = '${reason}' ${address}`);
}

function behindSql(after: SuppressionPosition, { search }: SuppressionFilter, bind: Bind): string {
  if (search !== undefined) return `email collate "C" > ${bind(after.email)}`;
  return `(suppressed_at, id) < (${bind(after.suppressedAt)}::timestamptz, ${bind(after.contactId)}::uuid)`;
}
