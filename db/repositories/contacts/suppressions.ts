import type { SuppressionReason } from '../../entities/contact.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A contact that gets no marketing after a hard bounce or a complaint. */
export interface SuppressionRow {
  contactId: string;
  email: string;
  reason: SuppressionReason;
  suppressedAt: Date;
  /** The email that came back or was complained about. */
  emailId: string | null;
}

/** Where a page ends: the last row of it. */
export interface SuppressionPosition {
  suppressedAt: string;
  contactId: string;
}

const reasons: readonly SuppressionReason[] = ['bounce', 'complaint'];

/**
 * A page of a project's suppressions, latest first, at most `limit`. Each reason is a range of the index, so that
 * neither a rare reason nor both together read more than the page.
 */
export function listSuppressions(
  em: Em,
  projectId: string,
  reason: SuppressionReason | undefined,
  after: SuppressionPosition | undefined,
  limit: number,
): Promise<SuppressionRow[]> {
  const parameters: unknown[] = [projectId, limit];
  if (after !== undefined) parameters.push(after.suppressedAt, after.contactId);
  const keyset = after === undefined ? '' : 'and (suppressed_at, id) < ($3::timestamptz, $4::uuid)';
  const ranges = (reason === undefined ? reasons : [reason]).map(
    (one) => `(
       select id, email, suppression_reason, suppressed_at, suppressed_email_id
       from contacts
       where project_id = $1 and suppression_reason = '${one}' ${keyset}
       order by suppressed_at desc, id desc
       limit $2
     )`,
  );
  return sql(
    em,
    `select id as "contactId", email, suppression_reason as reason, suppressed_at as "suppressedAt",
       suppressed_email_id as "emailId"
     from (${ranges.join(' union all ')}) found
     order by suppressed_at desc, id desc
     limit $2`,
    parameters,
  );
}

/** How many contacts of a project are suppressed; reads the partial index alone. */
export async function countSuppressions(
  em: Em,
  projectId: string,
  reason: SuppressionReason | undefined,
): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::int as count from contacts
     where project_id = $1 and suppression_reason = any($2::text[])`,
    [projectId, reason === undefined ? reasons : [reason]],
  );
  return row?.count ?? 0;
}

/**
 * Forgets why a contact was suppressed. Its subscription stays as it is: a person who did not ask for it is not
 * subscribed by this.
 *
 * @returns whether the address was suppressed
 */
export async function liftSuppression(em: Em, projectId: string, email: string, now: Date): Promise<boolean> {
  const rows = await sql(
    em,
    `update contacts
     set suppression_reason = null, suppressed_at = null, suppressed_email_id = null, updated_at = $3
     where project_id = $1 and email = $2 and suppression_reason is not null
     returning id`,
    [projectId, email, now],
  );
  return rows.length > 0;
}
