import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { instantOfId, lowestIdAt } from '../core/id-at.ts';
import { isLockTimeout } from './database-errors.ts';
import type { Em } from './orm.ts';
import { defaultOf, eventPartitions, isPartitioned, stepAt } from './partitioned-table.ts';
import { execute, query, queryColumn, queryFirst, queryValue, withSettings } from './sql.ts';

const legacy = 'events_legacy';

/** Check constraint on the highest id of the table before it is partitioned. */
const legacyCheck = 'events_legacy_range';

/** A table up to this size is scanned while the migration holds its lock, in under 0.1 s. */
const smallBytes = 32 * 1024 * 1024;

const dayMs = 86_400_000;
/** The check allows ids of this month and the next; validating it takes a fraction of that time. */
const rangeMonths = 2;
/** An unfinished check is dropped this long before its range ends: after the end, every insert would fail. */
const reserveDays = 10;
const swapAttempts = 10;

/**
 * Partitions the table `events` if it is small or empty; a larger one is left to `partitionEvents`.
 *
 * @param em in a transaction with a lock timeout
 */
export async function partitionFewEvents(em: Em, now: Date): Promise<void> {
  if (await isPartitioned(em, eventPartitions)) return;
  const bytes = await queryValue(em, z.coerce.number(), `select pg_relation_size('events')`);
  if (bytes > smallBytes) return;
  await execute(em, 'lock table events in access exclusive mode');
  const end = await monthAfterEvents(em, now);
  if (end !== undefined) await swapEvents(em, end);
}

/**
 * Partitions the table `events` without locking it for long. During normal traffic, validates a check that all rows are
 * older than some month; Postgres can then attach the table as the oldest partition without reading it. Safe to
 * interrupt and repeat.
 *
 * @param em outside of a transaction
 * @returns false when it was partitioned before
 * @throws pg.DatabaseError `55P03` when the table stayed locked
 */
export async function partitionEvents(em: Em, now: Date): Promise<boolean> {
  if (await isPartitioned(em, eventPartitions)) return false;
  const end = await ensureCheck(em, now);
  await withSettings(
    em.fork(),
    // The server then cancels the validation when this process dies.
    `set local lock_timeout = '10s'; set local statement_timeout = 0; set local client_connection_check_interval = '5s'`,
    (run) => execute(run, `alter table events validate constraint ${legacyCheck}`),
  );
  for (let attempt = 1; ; attempt += 1) {
    try {
      await withSettings(em.fork(), `set local lock_timeout = '500ms'`, (run) => swapEvents(run, end));
      return true;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === swapAttempts) throw error;
      await delay(2_000);
    }
  }
}

/**
 * Drops a check of `partitionEvents` that could soon refuse events.
 *
 * @param em in a transaction with a lock timeout
 */
export async function dropStaleCheck(em: Em, now: Date): Promise<void> {
  const check = await readCheck(em);
  if (check === undefined || isFarOff(check.end, now)) return;
  await execute(em, `alter table events drop constraint ${legacyCheck}`);
}

const checkRow = z.object({ isValidated: z.boolean(), text: z.string() });

async function readCheck(em: Em): Promise<{ isValidated: boolean; end: Date } | undefined> {
  const sql = `select convalidated as "isValidated", pg_get_constraintdef(oid) as text from pg_constraint
     where conrelid = to_regclass('events') and conname = '${legacyCheck}'`;
  const check = await queryFirst(em, checkRow, sql);
  const [, id] = /'([0-9a-f-]{36})'/.exec(check?.text ?? '') ?? [];
  if (check === undefined || id === undefined) return undefined;
  return { isValidated: check.isValidated, end: instantOfId(id) };
}

const isFarOff = (end: Date, now: Date) => end.getTime() - now.getTime() > reserveDays * dayMs;

/** Ensures a check constraint that all ids are from before an instant. @returns the instant */
async function ensureCheck(em: Em, now: Date): Promise<Date> {
  const check = await readCheck(em);
  if (check !== undefined && isFarOff(check.end, now)) return check.end;
  const end = await monthAfterEvents(em, stepAt(eventPartitions, now, rangeMonths));
  if (end === undefined)
    throw new Error('The table events has ids from the far future and cannot be partitioned');
  await withSettings(em.fork(), `set local lock_timeout = '1s'`, (run) =>
    execute(
      run,
      `alter table events drop constraint if exists ${legacyCheck},
         add constraint ${legacyCheck} check (id < '${lowestIdAt(end)}') not valid`,
    ),
  );
  return end;
}

/**
 * The beginning of the first month without events, at or after the month of `from`. Undefined if there are ids in the
 * far future.
 */
async function monthAfterEvents(em: Em, from: Date): Promise<Date | undefined> {
  const sql = 'select id from events order by id desc limit 1';
  const [last] = await queryColumn(em, z.uuid(), sql);
  const isOfMonth = last !== undefined && instantOfId(last) >= stepAt(eventPartitions, from);
  if (!isOfMonth) return stepAt(eventPartitions, from);
  const lastMadeAt = instantOfId(last);
  if (lastMadeAt.getTime() - from.getTime() > 366 * dayMs) return undefined;
  return stepAt(eventPartitions, lastMadeAt, 1);
}

const indexRow = z.object({ name: z.string(), text: z.string(), isPrimary: z.boolean() });

/**
 * Attaches the table `events` as the oldest partition of a new table of that name, with the same columns, indexes and
 * grants. Reads its rows unless `legacyCheck` is valid.
 *
 * @param em in a transaction with a lock timeout
 * @param end all ids are from before it
 */
async function swapEvents(em: Em, end: Date): Promise<void> {
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
