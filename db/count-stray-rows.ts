import { z } from 'zod';
import { isPartitioned } from './list-partitions.ts';
import type { Em } from './orm.ts';
import { defaultOf, eventPartitions, notificationPartitions } from './partitioned-table.ts';
import { queryValue } from './sql.ts';

const mostCounted = 10_000;

/**
 * Rows in the default partition of each table, counted up to 10,000. They got there because their own partition was
 * missing.
 */
export async function countStrayRows(em: Em): Promise<{ table: string; rows: number }[]> {
  const counts: { table: string; rows: number }[] = [];
  for (const table of [eventPartitions, notificationPartitions]) {
    if (!(await isPartitioned(em, table))) continue;
    const sql = `select count(*)::int as rows from (select from ${defaultOf(table)} limit ${mostCounted}) stray`;
    const rows = await queryValue(em, z.int(), sql);
    counts.push({ table: table.name, rows });
  }
  return counts;
}
