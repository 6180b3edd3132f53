import type { TestDatabase } from './database.ts';

/** Makes Postgres expect one contact of any project and event name, as while most of them have one. */
export async function forgetEventStatistics(sql: TestDatabase['sql']): Promise<void> {
  for (const column of ['project_id', 'name']) {
    await sql(`select pg_clear_attribute_stats('public', 'contact_event_stats', $1, false)`, [column]);
    await sql(
      `select pg_restore_attribute_stats('schemaname', 'public', 'relname', 'contact_event_stats',
         'attname', $1::text, 'inherited', false, 'null_frac', 0::real, 'n_distinct', (-1)::real)`,
      [column],
    );
  }
}
