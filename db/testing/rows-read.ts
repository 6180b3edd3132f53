import type { Em } from '../orm.ts';
import { sql } from './sql.ts';

const readSql = `
select relname as name, pg_stat_get_xact_tuples_returned(oid)::int as read from pg_class
where relnamespace = 'public'::regnamespace and pg_stat_get_xact_tuples_returned(oid) > 0`;

/** How many rows of each table, and entries of each index, some work reads in its transaction. */
export function rowsRead(em: Em, work: (inner: Em) => Promise<unknown>): Promise<Map<string, number>> {
  return em.fork().transactional(async (inner) => {
    const counters = async () =>
      (await sql<{ name: string; read: number }>(inner, readSql)).map(
        ({ name, read }) => [name, read] as const,
      );
    // Postgres adds up what a connection did in about a second.
    const before = new Map(await counters());
    await work(inner);
    return new Map((await counters()).map(([name, read]) => [name, read - (before.get(name) ?? 0)]));
  });
}
