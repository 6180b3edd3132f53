import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { sql } from '../../testing/sql.ts';
import { foldEmailFigures } from './fold-email-figures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const run = <Row>(text: string, parameters: unknown[] = []) =>
  sql<Row>(database.orm.em.fork(), text, parameters);

it('reads each change a few times, also when the statistics are of the empty table', async () => {
  const { id } = await createTestProject(database);
  const append = (count: number) =>
    run(
      `insert into project_email_changes (project_id, day, sent)
       select $1, current_date, 1 from generate_series(1, $2)`,
      [id, count],
    );
  await run('alter table project_email_changes set (autovacuum_enabled = off)');
  await append(1_000);
  const em = database.orm.em.fork();
  await foldEmailFigures(em);
  await run('vacuum (analyze, truncate off) project_email_changes');
  await append(1_000);
  const { folded, read } = await em.transactional(async (inner) => {
    const changes = await foldEmailFigures(inner);
    const [counted] = await sql<{ read: number }>(
      inner,
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables where relname = 'project_email_changes'`,
    );
    return { folded: changes, read: counted?.read };
  });
  expect(folded).toBe(1_000);
  expect(read).toBeLessThan(5_000);
});
