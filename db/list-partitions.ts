import { z } from 'zod';
import type { Em } from './orm.ts';
import {
  defaultOf,
  eventPartitions,
  notificationPartitions,
  type PartitionedTable,
} from './partitioned-table.ts';
import { query, queryValue } from './sql.ts';

const row = z.object({ name: z.string(), bounds: z.string() });

/** A partition that starts at MINVALUE has no lower bound. */
const boundsPattern = /FROM \((?:'([^']+)'|MINVALUE)\) TO \('([^']+)'\)/;

/** The partitions of a table except the default one, oldest first; empty while the table is not partitioned. */
export async function listPartitions(em: Em, table: PartitionedTable) {
  const sql = `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1)`;
  const rows = await query(em, row, sql, [table.name]);
  return rows
    .flatMap(({ name, bounds }) => {
      const [, from, until] = boundsPattern.exec(bounds) ?? [];
      if (until === undefined) return [];
      return {
        name,
        from: from === undefined ? new Date(0) : table.instantOf(from),
        until: table.instantOf(until),
      };
    })
    .sort((one, other) => one.from.getTime() - other.from.getTime());
}

export function isPartitioned(em: Em, table: PartitionedTable): Promise<boolean> {
  const sql = `select exists (select from pg_class where oid = to_regclass($1) and relkind = 'p')`;
  return queryValue(em, z.boolean(), sql, [table.name]);
}

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
