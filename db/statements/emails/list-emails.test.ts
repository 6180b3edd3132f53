import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertProject } from '../../../test/setup/campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { sql } from '../../testing/sql.ts';
import { type EmailFilter, listEmails } from './list-emails.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(2);
});
afterAll(() => database.close());

const any: EmailFilter = {
  sources: ['TRANSACTIONAL', 'CAMPAIGN'],
  status: undefined,
  contactIds: undefined,
  campaign: undefined,
  workflowId: undefined,
  recipient: undefined,
  text: undefined,
  startDate: undefined,
  endDate: undefined,
};

it('looks at the emails of all sources part by part, until it has found the rare ones', async () => {
  const em = database.orm.em.fork();
  const projectId = await insertProject(em);
  await sql(
    em,
    `insert into emails (id, project_id, source, to_email, from_email, subject, status, created_at)
     select uuidv7(make_interval(secs => n)), $1, case when n % 2 = 0 then 'CAMPAIGN' else 'TRANSACTIONAL' end,
       'ada@example.com', 'a@b.example', 'Order ' || n, 'SENT', now() + make_interval(secs => n)
     from generate_series(1, 100) n`,
    [projectId],
  );
  const filter = { ...any, text: 'ORDER 1' };
  const subjects: (string | null)[] = [];
  let before: string | undefined;
  let looks = 0;
  do {
    const found = await listEmails(em, projectId, filter, before, 5, 20);
    subjects.push(...found.emails.map(({ subject }) => subject));
    before = found.lookedUntil ?? (found.emails.length === 5 ? found.emails.at(-1)?.id : undefined);
    looks += 1;
  } while (before !== undefined);
  // 100, 19 to 10 and 1.
  const expected = [100, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1].map((n) => `Order ${n}`);
  expect(subjects).toEqual(expected);
  expect(looks).toBeGreaterThan(5);
  expect((await listEmails(em, projectId, any, undefined, 101)).emails).toHaveLength(100);
});
