import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { readSetupState } from './read-setup-state.ts';

const database = useTestDatabase();
const { em, sql } = database;

const projects = 3_000;
const ofOthers = [
  `insert into projects (id, name, public_key_hash, secret_key_hash, public_key_encrypted, secret_key_encrypted)
   select gen_random_uuid(), 'Shop ' || n, int4send(n), int4send(-n), '', '' from generate_series(1, ${projects}) n`,
  `insert into domains (id, project_id, domain, status)
   select gen_random_uuid(), id, id || '.example', 'verified' from projects where name like 'Shop %'`,
  `insert into event_names (project_id, name) select id, 'visit' from projects where name like 'Shop %'`,
  `insert into contacts (id, project_id, email) select uuidv7(), id, 'ada@example.com' from projects where name like 'Shop %'`,
  `insert into workflows (id, project_id, name, event_name)
   select uuidv7(), id, 'Welcome', 'visit' from projects where name like 'Shop %'`,
  `insert into campaigns (id, project_id, name, subject, body, from_email, type, audience_type)
   select uuidv7(), id, 'News', 'News', '', 'a@b.example', 'MARKETING', 'ALL' from projects where name like 'Shop %'`,
];

it('reads no row of other projects, even where each has a single one', async () => {
  const projectId = await insertProject(em());
  for (const text of ofOthers) await sql(text);
  await sql('vacuum analyze');
  let state: object = {};
  const read = await rowsRead(em(), async (inner) => {
    state = await readSetupState(inner, projectId);
  });
  expect(new Set(Object.values(state))).toEqual(new Set([false]));
  const tables = ['domains', 'contacts', 'event_names', 'campaigns', 'workflows'];
  expect(tables.map((table) => [table, read.get(table) ?? 0])).toEqual(tables.map((table) => [table, 0]));
});
