import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { afterFirstQuery } from '../../../test/setup/after-first-query.ts';
import { insertContacts } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { rowsRead } from '../../testing/rows-read.ts';
import { type EmailFilter, listEmails } from './list-emails.ts';

const { em, sql } = useTestDatabase(2);

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

async function fill(): Promise<string> {
  const projectId = await insertProject(em());
  await sql(
    `insert into emails (id, project_id, source, to_email, from_email, subject, status, created_at)
     select uuidv7(make_interval(secs => n)), $1, case when n % 2 = 0 then 'CAMPAIGN' else 'TRANSACTIONAL' end,
       'ada@example.com', 'a@b.example', 'Order ' || n, 'SENT', now() + make_interval(secs => n)
     from generate_series(1, 100) n`,
    [projectId],
  );
  return projectId;
}

async function follow(projectId: string, filter: EmailFilter) {
  const subjects: (string | null)[] = [];
  let beforeId: string | undefined;
  let looks = 0;
  do {
    const { rows, scannedUntil } = await listEmails(em(), { projectId, filter, beforeId }, 5, 20);
    subjects.push(...rows.map(({ subject }) => subject));
    beforeId = scannedUntil ?? (rows.length === 5 ? rows.at(-1)?.id : undefined);
    looks += 1;
  } while (beforeId !== undefined);
  return { subjects, looks };
}

it('scans the emails of all sources part by part until it finds the rare ones', async () => {
  const projectId = await fill();
  const { subjects, looks } = await follow(projectId, { ...any, text: 'ORDER 1' });
  // 100, 19 to 10 and 1.
  const expected = [100, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1].map((n) => `Order ${n}`);
  expect(subjects).toEqual(expected);
  expect(looks).toBeGreaterThan(5);
});

it('finds emails by part of an address however old they are, and test emails without a contact among the latest', async () => {
  const projectId = await fill();
  await insertContacts(em(), projectId, 300);
  await sql(
    `insert into emails (id, project_id, contact_id, source, to_email, from_email, subject, status, created_at)
     select uuidv7(make_interval(hours => -k)), $1, id, 'TRANSACTIONAL', email, 'a@b.example', 'To ' || email, 'SENT',
       now() - make_interval(hours => k)
     from (select *, (data ->> 'n')::int as k from contacts where project_id = $1) c`,
    [projectId],
  );
  await sql(
    `update emails set to_email = 'my-reader-77@example.com' where project_id = $1 and subject in ('Order 90', 'Order 3')`,
    [projectId],
  );
  const searched = async (recipient: string) => (await follow(projectId, { ...any, recipient })).subjects;
  expect(await searched('eader-77@ex')).toEqual(['Order 90', 'To reader-77@example.com']);
  expect(await searched('reader-7')).toEqual([
    'Order 90',
    ...['', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `To reader-7${n}@example.com`),
  ]);
  expect(await searched('r_ader-7')).toEqual([]);
  // More contacts than are looked up.
  expect(await searched('@example.com')).toHaveLength(400);
});

it('fills each page of a list that an index serves', async () => {
  const { subjects, looks } = await follow(await fill(), any);
  expect(subjects).toEqual(Array.from({ length: 100 }, (_, n) => `Order ${100 - n}`));
  expect(looks).toBe(21);
});

it('misses none when others are erased while it reads a page', async () => {
  const projectId = await fill();
  const newest = ['Order 100', 'Order 99', 'Order 98'];
  afterFirstQuery(em(), () =>
    sql('delete from emails where project_id = $1 and subject = any($2)', [projectId, newest]),
  );
  const { subjects } = await follow(projectId, { ...any, text: 'Order 7' });
  expect(subjects).toEqual([79, 78, 77, 76, 75, 74, 73, 72, 71, 70, 7].map((n) => `Order ${n}`));
});

it('finds emails to an address, not emails that a workflow sent to somebody else about that contact', async () => {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, 1);
  await sql(
    `insert into emails (id, project_id, contact_id, source, to_email, from_email, subject, status)
     select uuidv7(make_interval(secs => n)), $1, case when n <= 10 then c.id end, 'WORKFLOW',
       case when n = 3 then c.email else 'team@shop.example' end, 'a@b.example', 'Email ' || n, 'SENT'
     from contacts c, generate_series(1, 60) n where c.project_id = $1`,
    [projectId],
  );
  const [contact] = await sql<{ email: string }>('select email from contacts where project_id = $1', [
    projectId,
  ]);
  const filter = { ...any, sources: ['WORKFLOW' as const], recipient: contact?.email };
  const { rows } = await listEmails(em(), { projectId, filter, beforeId: undefined }, 20, 20);
  expect(rows.map(({ toEmail }) => toEmail)).toEqual([contact?.email]);
});

it('reads only the emails of a workflow or contact, however few emails of the project Postgres expects', async () => {
  const [projectId, workflowId, contactId] = [await insertProject(em()), randomUUID(), randomUUID()];
  await sql(
    `insert into emails (id, project_id, workflow_id, contact_id, source, to_email, from_email, status)
     select uuidv7(make_interval(secs => n)), $1, case when n <= 50 then $2::uuid else gen_random_uuid() end,
       case when n <= 50 then $3::uuid else gen_random_uuid() end, 'WORKFLOW', 'ada@example.com', 'a@b.example', 'SENT'
     from generate_series(1, 6000) n`,
    [projectId, workflowId, contactId],
  );
  await sql('analyze emails');
  await sql(`select pg_clear_attribute_stats('public', 'emails', 'project_id', false)`);
  for (const key of [{ workflowId }, { contactIds: [contactId] }]) {
    const filter = { ...any, sources: ['WORKFLOW' as const], ...key };
    const read = await rowsRead(em(), async (inner) => {
      expect((await listEmails(inner, { projectId, filter, beforeId: undefined }, 20)).rows).toHaveLength(20);
    });
    expect(Math.max(...read.values()), JSON.stringify([...read])).toBeLessThanOrEqual(50);
  }
});
