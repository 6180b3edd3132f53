import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createTestProject } from '../../../test/setup/start-test-api.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { foldEmailFigures } from './email-figures.ts';

const database = useTestDatabase();
const { em, sql } = database;

it('reads each change only a few times, even with statistics of the empty table', async () => {
  const { id } = await createTestProject(database);
  const append = (count: number) =>
    sql(
      `insert into project_email_changes (project_id, day, sent)
       select $1, current_date, 1 from generate_series(1, $2)`,
      [id, count],
    );
  await sql('alter table project_email_changes set (autovacuum_enabled = off)');
  await append(1_000);
  await foldEmailFigures(em());
  await sql('vacuum (analyze, truncate off) project_email_changes');
  await append(1_000);
  const read = await rowsRead(database.orm.em, async (em) => {
    expect(await foldEmailFigures(em)).toBe(1_000);
  });
  expect(read.get('project_email_changes')).toBeLessThan(5_000);
});
