import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createTemplateContents } from './template-contents.ts';

// One connection, so that statements end in the order in which they begin.
const database = useTestDatabase(1);

async function insertTemplates(projectId: string, count: number): Promise<string[]> {
  const rows = await database.sql<{ id: string }>(
    `insert into templates (id, project_id, name, subject, body, from_email, type)
     select uuidv7(), $1, 'Template ' || n, 'Hello', 'Hello', 'hello@example.com', 'TRANSACTIONAL'
     from generate_series(1, $2::int) n returning id`,
    [projectId, count],
  );
  return rows.map(({ id }) => id);
}

it('a template of a project is read while another project has many to read, which may be large', async () => {
  const [busy, quiet] = [randomUUID(), randomUUID()];
  const contents = createTemplateContents(database.orm);
  const read: string[] = [];
  const readOne = async (projectId: string, id: string) => {
    await contents.read(projectId, id);
    read.push(projectId);
  };
  const ofBusy = await insertTemplates(busy, 150);
  const [ofQuiet = ''] = await insertTemplates(quiet, 1);
  await Promise.all([...ofBusy.map((id) => readOne(busy, id)), readOne(quiet, ofQuiet)]);
  expect(read).toHaveLength(151);
  expect(read.indexOf(quiet)).toBeLessThan(60);
});
