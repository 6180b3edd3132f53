import { z } from 'zod';
import { isLockTimeout } from './database-errors.ts';
import { listPartitions } from './list-partitions.ts';
import type { Em } from './orm.ts';
import type { PartitionedTable } from './partitioned-table.ts';
import { execute, queryValue } from './sql.ts';

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
      await em.fork().transactional(async (run) => {
        await execute(run, `set local lock_timeout = '500ms'`);
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
