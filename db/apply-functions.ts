import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Em } from './orm.ts';
import { execute, query } from './sql.ts';

/** Called by column defaults, checks and data migrations. They read no table and exist before the first migration. */
export const columnFunctions = ['json-text-bytes', 'accepted-by-now', 'usage-month'];

/** Applied after the migrations. A function called by a `begin atomic` body must precede it in this list. */
export const tableFunctions = [
  'record-contact-figure-changes',
  'limit-project-rows',
  'mark-segments-stale',
  'record-segment-changes',
  'start-and-wake-executions',
  'lock-execution',
  'hear-events',
  'emails-used',
  'emails-left',
  'count-emails',
  'take-emails',
  'take-send-slots',
  'return-send-slots',
  'distribute-round-robin',
  'reserve-email-slots',
  'refuse-deletes-by-ctid',
  'share-handled-notifications',
  'email-contents',
];

const appliedRow = z.object({ name: z.string(), hash: z.string() });

/**
 * Runs each `functions/<name>.sql` whose text has changed since it was last applied. The caller holds the
 * migration lock. Files only create or replace; a changed signature or a removal needs a migration.
 */
export async function applyFunctions(em: Em, names: readonly string[]): Promise<void> {
  const sql = 'create table if not exists schema_functions (name text primary key, hash text not null)';
  await execute(em, sql);
  const rows = await query(em, appliedRow, 'select name, hash from schema_functions');
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
  for (const name of names) {
    const text = readFileSync(new URL(`./functions/${name}.sql`, import.meta.url), 'utf8');
    const hash = createHash('sha256').update(text).digest('hex');
    if (applied.get(name) === hash) continue;
    await execute(em, text);
    const sql = `insert into schema_functions (name, hash) values ($1, $2)
       on conflict (name) do update set hash = excluded.hash`;
    await execute(em, sql, [name, hash]);
  }
}
