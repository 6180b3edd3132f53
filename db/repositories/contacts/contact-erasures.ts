import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** A contact that is deleted, and whose traces are still to go. */
export interface ContactErasureRecord {
  projectId: string;
  contactId: string;
}

/** The oldest first. */
export function listContactErasures(em: Em, limit: number): Promise<ContactErasureRecord[]> {
  return sql(
    em,
    `select project_id as "projectId", contact_id as "contactId" from contact_erasures
     order by erased_at limit $1`,
    [limit],
  );
}

/** The clock of the database. */
export async function readDatabaseTime(em: Em): Promise<Date> {
  const [row] = await sql<{ now: Date }>(em, 'select clock_timestamp() as now');
  if (row === undefined) throw new Error('The database did not tell the time');
  return row.now;
}

/**
 * Whether every transaction that was open at an instant has ended, so that all which begin now see what was committed
 * until then, and what those have written that did not see it can be read.
 */
export async function haveTransactionsEnded(em: Em, instant: Date): Promise<boolean> {
  const open = await sql(
    em,
    `select 1 from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and xact_start <= $1
     limit 1`,
    [instant],
  );
  return open.length === 0;
}

/** Journals that the traces are gone from here, in a transaction of its own behind those that deleted them. */
export async function journalContactErasure(em: Em, id: string): Promise<void> {
  await sql(
    em,
    `insert into events (id, project_id, name, kind, occurred_at)
     values ($1, '00000000-0000-0000-0000-000000000000', 'contacts.erased', 'activity', now())
     on conflict (id) do nothing`,
    [id],
  );
}

/** Forgets erasures that have been carried out everywhere, with their row in the journal. */
export async function closeContactErasures(em: Em, id: string, contactIds: readonly string[]): Promise<void> {
  await sql(
    em,
    `with marker as (delete from events where id = $1)
     delete from contact_erasures where contact_id = any($2::uuid[])`,
    [id, contactIds],
  );
}
