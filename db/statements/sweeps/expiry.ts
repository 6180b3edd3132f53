import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

/** Where a walk stopped: the values of its columns as text. */
export type ExpiryCursor = readonly string[];

export interface ExpirySlice {
  count: number;
  cursor: ExpiryCursor | null;
}

/** Removes a bounded part of the expired rows, in short transactions. Safe to repeat. */
export type Expire = (em: Em, cursor: ExpiryCursor | null) => Promise<ExpirySlice>;

export type ColumnType = 'bytea' | 'smallint' | 'text' | 'timestamptz' | 'uuid';

interface RowExpiry {
  table: string;
  /** The columns of an index, or its first columns, extended to a unique key, with their types. */
  walk: Readonly<Record<string, ColumnType>>;
  /** Condition on the rows to walk, as far as the index supports it; all rows without it. */
  within?: string;
  where: string;
  /** Assignments that empty a row instead of deleting it. */
  set?: string;
  parameters?: readonly unknown[];
  /** Fewer for large rows: deleting one of 8 MB also deletes 4,000 rows in which Postgres stores it. */
  rowsPerSlice?: number;
}

const usualRows = 5_000;

const sliceSchema = z.object({ count: z.int(), seen: z.int(), cursor: z.array(z.string()).nullable() });

/**
 * One statement for all tables: it removes sets by age, never single records. Leaves rows locked by others to the next
 * run, because the lock order of their holders differs.
 */
export function expireRows({
  table,
  walk,
  within,
  where,
  set,
  parameters = [],
  rowsPerSlice = usualRows,
}: RowExpiry): Expire {
  const columns = Object.keys(walk).join(', ');
  const types = Object.values(walk);
  const texts = Object.keys(walk).map((column) => `${column}::text`);
  const last = Object.keys(walk).map((column) => `${column} desc`);
  // Without it, each slice would rescan index entries of rows already removed.
  const beyond = types.map((type, index) => `$${parameters.length + index + 1}::${type}`).join(', ');
  return async (em, cursor) => {
    const conditions = [within, cursor && `(${columns}) > (${beyond})`].filter(Boolean).join(' and ');
    const sql = `with page as materialized (
         select ctid, ${columns}, ${where} as expired from ${table}
         ${conditions && `where ${conditions}`}
         order by ${columns} limit ${rowsPerSlice}
       ),
       removed as (
         ${set === undefined ? `delete from ${table}` : `update ${table} set ${set}`}
         where ctid = any(array(
           select ctid from ${table} where ctid = any(array(select ctid from page where expired)) and ${where}
           for update skip locked
         )) and ${where}
         returning 1
       )
       select (select count(*)::int from removed) as count,
         (select count(*)::int from page) as seen,
         (select array[${texts}] from page order by ${last} limit 1) as cursor`;
    const slice = await queryFirst(em, sliceSchema, sql, [...parameters, ...(cursor ?? [])]);
    if (slice === undefined) return { count: 0, cursor: null };
    return { count: slice.count, cursor: slice.seen < rowsPerSlice ? null : slice.cursor };
  };
}

interface Owner {
  id: string;
  isOrphaned: boolean;
}

const ownersPerSlice = 500;

/**
 * Removes rows whose owner is gone.
 *
 * @param list owners of such rows after an id, in id order
 * @param remove removes a bounded part; returns whether there is more
 */
export function expireOrphans<Some extends Owner>(
  list: (em: Em, after: string | null, limit: number) => Promise<Some[]>,
  remove: (em: Em, owner: Some) => Promise<boolean>,
): Expire {
  return async (em, cursor) => {
    let after = cursor?.[0] ?? null;
    let count = 0;
    const owners = await list(em, after, ownersPerSlice);
    for (const owner of owners) {
      if (owner.isOrphaned) {
        if (await remove(em, owner)) return { count, cursor: after === null ? [] : [after] };
        count += 1;
      }
      after = owner.id;
    }
    return { count, cursor: owners.length < ownersPerSlice || after === null ? null : [after] };
  };
}
