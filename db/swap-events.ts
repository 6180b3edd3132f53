import { z } from 'zod';
import { lowestIdAt } from '../core/id-at.ts';
import type { Em } from './orm.ts';
import { defaultOf, eventPartitions } from './partitioned-table.ts';
import { execute, query, queryColumn } from './sql.ts';

const legacy = 'events_legacy';

/** Check constraint on the highest id of the table before it is partitioned. */
export const legacyCheck = 'events_legacy_range';

const indexRow = z.object({ name: z.string(), text: z.string(), isPrimary: z.boolean() });

/**
 * Attaches the table `events` as the oldest partition of a new table of that name, with the same columns, indexes and
 * grants. Reads its rows unless `legacyCheck` is valid.
 *
 * @param em in a transaction with a lock timeout
 * @param end all ids are from before it
 */
export async function swapEvents(em: Em, end: Date): Promise<void> {
  await execute(em, 'lock table events in access exclusive mode');
  const sql = `select c.relname as name, pg_get_indexdef(c.oid) as text, i.indisprimary as "isPrimary"
     from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'events'::regclass`;
  const indexes = await query(em, indexRow, sql);
  for (const { name } of indexes) {
    await execute(em, `alter index ${name} rename to ${name.replace('events', legacy)}`);
  }
  const others = indexes.filter(({ isPrimary }) => !isPrimary).map(({ text }) => text);
  const statements = [
    `alter table events rename to ${legacy}`,
    `create table events (like ${legacy} including defaults) partition by range (id)`,
    'alter table events add constraint events_pkey primary key (id)',
    ...others,
    `alter table events attach partition ${legacy} for values from (minvalue) to ('${lowestIdAt(end)}')`,
    `alter table ${legacy} drop constraint if exists ${legacyCheck}`,
    `create table ${defaultOf(eventPartitions)} partition of events default`,
    `create trigger events_refuse_ctid before delete on events
     for each statement execute function refuse_deletes_by_ctid()`,
  ];
  for (const statement of statements) await execute(em, statement);
  await copyGrants(em);
}

/** Grants by an operator, for reports or a backup: a new table has only its owner's. */
async function copyGrants(em: Em): Promise<void> {
  const sql = `select format('grant %s on events to %s', privilege_type,
         case grantee when 0 then 'public' else grantee::regrole::text end)
       || case when is_grantable then ' with grant option' else '' end as text
     from pg_class c, aclexplode(c.relacl)
     where c.oid = '${legacy}'::regclass and grantee <> c.relowner`;
  for (const grant of await queryColumn(em, z.string(), sql)) await execute(em, grant);
}
