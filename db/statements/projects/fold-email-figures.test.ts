import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { rowsRead } from '../../testing/rows-read.ts';
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
  await foldEmailFigures(database.orm.em.fork());
  await run('vacuum (analyze, truncate off) project_email_changes');
  await append(1_000);
  const read = await rowsRead(database.orm.em, async (em) => {
    expect(await foldEmailFigures(em)).toBe(1_000);
  });
  expect(read.get('project_email_changes')).toBeLessThan(5_000);
});
