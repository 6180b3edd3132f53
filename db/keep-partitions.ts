import { z } from 'zod';
import { isLockTimeout } from './database-errors.ts';
import type { Em } from './orm.ts';
import { partitionEvents } from './partition-events.ts';
import {
  defaultOf,
  eventPartitions,
  isPartitioned,
  listPartitions,
  notificationPartitions,
  type PartitionedTable,
  partitionName,
  stepAt,
} from './partitioned-table.ts';
import { execute, queryColumn, queryValue, withSettings } from './sql.ts';

/** Notifications are accepted for 14 days (`providers/sns/verifier.ts`). */
const notificationDays = 30;

/**
 * Adds the partitions that rows of the next days and months need, and drops those past their retention.
 *
 * @param em outside of a transaction
 * @param now by the database's clock, which dates the rows: that of a process may be months ahead
 * @param eventMonths 0 keeps events forever
 */
export async function keepPartitions(
  em: Em,
  now: Date,
  eventMonths: number,
): Promise<{ added: number; dropped: number }> {
  let added = await add(em, notificationPartitions, now);
  const oldestDay = stepAt(notificationPartitions, now, -notificationDays);
  let dropped = await dropPartitions(em, notificationPartitions, oldestDay);
  await partitionEvents(em, now);
  added += await add(em, eventPartitions, now);
  if (eventMonths > 0) {
    const oldestMonth = stepAt(eventPartitions, now, -eventMonths);
    dropped += await dropPartitions(em, eventPartitions, oldestMonth, isStreamedSql, forgetCounts);
  }
  await analyzeEvents(em);
  return { added, dropped };
}

/**
 * Marks segments for recomputation: their "at least n times within" conditions may have counted events of the dropped
 * months. Without its plan, a computation under way does not make its segment current.
 */
function forgetCounts(run: Em, until: Date): Promise<unknown> {
  const sql = `with readers as materialized (
       select s.id from segments s
       where s.track_membership and exists (
         select from segment_inputs i
         where i.project_id = s.project_id and i.input = any(s.inputs) and i.clock ->> 'of' = 'event'
           and (i.clock ->> 'nth')::numeric > 1
           and now() - (i.clock ->> 'ms')::float8 * interval '1 millisecond' < $1)
       order by s.id for no key update
     )
     update segments s set is_current = false, plan_id = null from readers r where s.id = r.id`;
  return execute(run, sql, [until]);
}

function add(em: Em, table: PartitionedTable, now: Date): Promise<number> {
  return withSettings(em.fork(), `set local lock_timeout = '1s'`, (run) => addPartitions(run, table, now));
}

/**
 * Runs once a day, because autovacuum does not analyze the partitioned parent, whose statistics are used to plan
 * conditions over all contacts.
 */
async function analyzeEvents(em: Em): Promise<void> {
  const sql = `select relid from pg_stat_user_tables where relid = to_regclass('events')
       and coalesce(last_analyze, '-infinity') < now() - interval '1 day'`;
  const stale = await queryColumn(em, z.number(), sql);
  if (stale.length > 0) await execute(em, 'analyze only events');
}

/**
 * Drops the partitions that end before an instant, each in its own transaction. Waits at most half a second for the
 * table lock, because other statements queue up behind it; a partition still in use is left to the next call.
 *
 * @param mayDrop SQL condition on the partition's name
 * @param onDrop runs in the transaction that drops a partition
 * @returns the number of partitions dropped
 */
export async function dropPartitions(
  em: Em,
  table: PartitionedTable,
  before: Date,
  mayDrop: (partition: string) => string = () => 'true',
  onDrop: (run: Em, until: Date) => Promise<unknown> = async () => undefined,
): Promise<number> {
  let dropped = 0;
  for (const { name, until } of await listPartitions(em, table)) {
    if (until > before) continue;
    try {
      await withSettings(em.fork(), `set local lock_timeout = '500ms'`, async (run) => {
        if (!(await queryValue(run, z.boolean(), `select ${mayDrop(name)}`))) return;
        await onDrop(run, until);
        await execute(run, `drop table ${name}`);
        dropped += 1;
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return dropped;
}

/** Whether ClickHouse has all rows of the partition; a partition with others must stay. */
export const isStreamedSql = (partition: string) => `exists (
  select from stream_positions p where p.name = 'clickhouse'
    and not exists (select from ${partition} e where (e.xid, e.id) > (p.xid, p.event_id)))`;

/** Beyond this, rows stay in the default partition: moving them would lock it for too long. */
const mostMovedRows = 50_000;

/**
 * Adds the partitions missing around now and moves matching rows out of the default partition. Locks only the default
 * partition, for milliseconds.
 *
 * @param em in a transaction with a lock timeout
 * @returns the number of partitions added
 */
export async function addPartitions(em: Em, table: PartitionedTable, now: Date): Promise<number> {
  if (!(await isPartitioned(em, table))) return 0;
  const existing = await listPartitions(em, table);
  let added = 0;
  for (let step = -table.behind; step <= table.ahead; step += 1) {
    const [from, until] = [stepAt(table, now, step), stepAt(table, now, step + 1)];
    if (existing.some((partition) => partition.from < until && partition.until > from)) continue;
    if (await addPartition(em, table, from, until)) added += 1;
  }
  return added;
}

/** @returns false when too many rows of the range are in the default partition */
async function addPartition(em: Em, table: PartitionedTable, from: Date, until: Date): Promise<boolean> {
  const name = partitionName(table, from);
  const [first, end] = [table.keyAt(from), table.keyAt(until)];
  // The lock that attaching needs, taken first: upgrading a weaker lock could deadlock.
  await execute(em, `lock table ${defaultOf(table)} in access exclusive mode`);
  const range = `${table.key} >= $1 and ${table.key} < $2`;
  const countSql = `select count(*)::int as rows from (
       select from ${defaultOf(table)} where ${range} limit ${mostMovedRows + 1}) stray`;
  const rows = await queryValue(em, z.int(), countSql, [first, end]);
  if (rows > mostMovedRows) return false;
  await execute(em, `create table ${name} (like ${table.name} including defaults)`);
  if (rows > 0) {
    const moveSql = `with moved as (delete from ${defaultOf(table)} where ${range} returning *)
       insert into ${name} select * from moved`;
    await execute(em, moveSql, [first, end]);
  }
  const attachSql = `alter table ${table.name} attach partition ${name} for values from ('${first}') to ('${end}')`;
  await execute(em, attachSql);
  return true;
}
