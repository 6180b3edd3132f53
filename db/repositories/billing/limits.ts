import {
  type BillingCategory,
  billingCategories,
  type PerCategory,
} from '../../../core/billing/categories.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** SQL of whether a project has a limit of transactional emails. @param project an expression of its id */
export const hasSendLimitSql = (project: string) =>
  `exists (select from billing_limits l where l.project_id = ${project} and l.category = 'transactional')`;

/** Emails that a project may send of each category in a calendar month; null for any number. */
export async function readLimits(em: Em, projectId: string): Promise<PerCategory<number | null>> {
  const rows = await sql<{ category: BillingCategory; emails: number }>(
    em,
    'select category, emails from billing_limits where project_id = $1',
    [projectId],
  );
  const limitOf = (category: BillingCategory) =>
    rows.find((row) => row.category === category)?.emails ?? null;
  return {
    transactional: limitOf('transactional'),
    campaigns: limitOf('campaigns'),
    workflows: limitOf('workflows'),
    inbound: limitOf('inbound'),
  };
}

/**
 * In a transaction that holds the project: sets, changes and removes limits; what is undefined stays. Every process
 * hears of it.
 */
export async function changeLimits(
  em: Em,
  projectId: string,
  limits: Partial<PerCategory<number | null | undefined>>,
): Promise<void> {
  for (const category of billingCategories) {
    const emails = limits[category];
    if (emails === undefined) continue;
    if (emails === null) {
      await sql(em, 'delete from billing_limits where project_id = $1 and category = $2', [
        projectId,
        category,
      ]);
    } else {
      await sql(
        em,
        `insert into billing_limits (project_id, category, emails) values ($1, $2, $3)
         on conflict (project_id, category) do update set emails = excluded.emails, updated_at = now()`,
        [projectId, category, emails],
      );
    }
  }
  await sql(em, `select pg_notify('project_changed', $1::text)`, [projectId]);
}

/**
 * In a transaction: how many emails a project may still send in this month, and nobody else takes any of them until
 * its end. @returns null for any number
 */
export async function holdEmailsLeft(
  em: Em,
  projectId: string,
  category: BillingCategory,
): Promise<number | null> {
  const [row] = await sql<{ left: number | null }>(em, 'select emails_left($1, $2, 0, null) as left', [
    projectId,
    category,
  ]);
  return row?.left ?? null;
}

export interface WantedEmails {
  projectId: string;
  emails: number;
}

/**
 * Counts transactional emails that are about to be queued: all items of a project when they fit its limit together,
 * and near the limit each that fits, in their order. A statement of its own, whose locks end with it.
 *
 * @returns for each item whether it may go on
 */
export async function takeTransactional(em: Em, wanted: readonly WantedEmails[]): Promise<boolean[]> {
  const rows = await sql<{ ord: string; taken: boolean }>(
    em,
    `with item as materialized (
       select * from unnest($1::uuid[], $2::int[]) with ordinality as t (project_id, emails, ord)
     ),
     together as materialized (
       select project_id, take_emails(project_id, 'transactional', emails, null) as taken
       from (select project_id, sum(emails)::int as emails from item group by project_id order by project_id) p
     )
     select ord, case when taken then true else take_emails(project_id, 'transactional', emails, null) end as taken
     from (select * from item join together using (project_id) order by project_id, ord offset 0) each`,
    [wanted.map(({ projectId }) => projectId), wanted.map(({ emails }) => emails)],
  );
  const taken = new Map(rows.map((row) => [Number(row.ord), row.taken]));
  return wanted.map((_, index) => taken.get(index + 1) === true);
}

/** Gives back transactional emails that were counted and could not be queued. */
export async function giveBackTransactional(em: Em, { projectId, emails }: WantedEmails): Promise<void> {
  await sql(em, `select count_emails($1, 'transactional', $2)`, [projectId, -emails]);
}

/** In a transaction: counts an email that came in, unless it would go beyond the limit of the month. */
export async function takeInbound(em: Em, projectId: string): Promise<boolean> {
  const [row] = await sql<{ taken: boolean }>(em, `select take_emails($1, 'inbound', 1, null) as taken`, [
    projectId,
  ]);
  return row?.taken === true;
}
