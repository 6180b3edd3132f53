import { z } from 'zod';
import { instantOfId, lowestIdAt } from '../core/id-at.ts';
import type { Em } from './orm.ts';
import { query, queryValue } from './sql.ts';

/** A table partitioned by time, with a partition `<name>_default` for rows that fit no other. */
export interface PartitionedTable {
  name: string;
  key: string;
  step: 'day' | 'month';
  /** Number of partitions created ahead of time. */
  ahead: number;
  behind: number;
  keyAt(instant: Date): string;
  instantOf(key: string): Date;
}

/**
 * Partitioned by id, because ids ascend with time: the primary key is unique across partitions, and a look-up by id
 * reads only one of them.
 */
export const eventPartitions: PartitionedTable = {
  name: 'events',
  key: 'id',
  step: 'month',
  ahead: 3,
  behind: 0,
  keyAt: lowestIdAt,
  instantOf: instantOfId,
};

/** Days behind: notifications may be 14 days old when they arrive (`providers/sns/verifier.ts`). */
export const notificationPartitions: PartitionedTable = {
  name: 'handled_notifications',
  key: 'published_on',
  step: 'day',
  ahead: 7,
  behind: 15,
  keyAt: (instant) => instant.toISOString().slice(0, 10),
  instantOf: (day) => new Date(`${day}T00:00:00Z`),
};

export const defaultOf = ({ name }: PartitionedTable) => `${name}_default`;

/** The beginning (UTC) of the step that contains an instant, or of the step `later` steps after it. */
export function stepAt({ step }: Pick<PartitionedTable, 'step'>, instant: Date, later = 0): Date {
  const [year, month, day] = [instant.getUTCFullYear(), instant.getUTCMonth(), instant.getUTCDate()];
  return new Date(step === 'month' ? Date.UTC(year, month + later) : Date.UTC(year, month, day + later));
}

export function partitionName({ name, step }: PartitionedTable, start: Date): string {
  const suffix = start.toISOString().slice(0, step === 'month' ? 7 : 10);
  return `${name}_${suffix.replaceAll('-', '_')}`;
}

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

const mostStraysCounted = 10_000;

/**
 * Rows in the default partition of each table, counted up to 10,000. They got there because their own partition was
 * missing.
 */
export async function countStrayRows(em: Em): Promise<{ table: string; rows: number }[]> {
  const counts: { table: string; rows: number }[] = [];
  for (const table of [eventPartitions, notificationPartitions]) {
    if (!(await isPartitioned(em, table))) continue;
    const sql = `select count(*)::int as rows from (select from ${defaultOf(table)} limit ${mostStraysCounted}) stray`;
    const rows = await queryValue(em, z.int(), sql);
    counts.push({ table: table.name, rows });
  }
  return counts;
}
