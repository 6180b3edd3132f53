import { z } from 'zod';
import { isPartitioned, listPartitions } from './list-partitions.ts';
import type { Em } from './orm.ts';
import { defaultOf, type PartitionedTable, partitionName, stepAt } from './partitioned-table.ts';
import { execute, queryValue } from './sql.ts';

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
