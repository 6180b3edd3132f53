import { beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { eventually } from './setup/eventually.ts';
import { useProcessStack } from './setup/process-stack.ts';
import { findWrongCounts } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { upload } from './setup/upload.ts';

/**
 * Shared by the tests, each with a project of its own; a worker that one test has started is the first of the next.
 * Statements wait for a held contact as long as a test holds it.
 */
const stack = useProcessStack({
  DATABASE_LOCK_TIMEOUT_SECONDS: '300',
  DATABASE_STATEMENT_TIMEOUT_SECONDS: '300',
});
const sender = useSender(stack);

beforeAll(() => stack.start());

async function addContacts(count: number): Promise<string[]> {
  const rows = await stack.sql<{ id: string }>(
    `insert into contacts (id, project_id, email)
     select uuidv7(), $1, 'reader-' || n || '@example.com' from generate_series(0, $2::int - 1) n returning id`,
    [sender.projectId, count],
  );
  return rows.map((row) => row.id);
}

/** Makes other writers of this contact wait until the returned function releases it. */
async function hold(email: string): Promise<() => Promise<void>> {
  const holding = stack.em();
  await holding.begin();
  await sql(holding, 'select from contacts where project_id = $1 and email = $2 for update', [
    sender.projectId,
    email,
  ]);
  return () => holding.rollback();
}

/** How many statements wait for a lock. */
async function waitingForLocks(): Promise<number> {
  const rows = await stack.sql(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

/** Waits until a job has done part of its work and waits for the held contact. */
async function stuckInTheMiddle(): Promise<void> {
  await eventually(
    async () => {
      const [row] = await stack.sql<{ done: number; waiting: number }>(
        `select (select max(done) from jobs where project_id = $1) as done,
           (select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
             as waiting`,
        [sender.projectId],
      );
      return row;
    },
    (row) => row !== undefined && row.done > 0 && row.waiting > 0,
  );
}

async function ended(kind: 'import' | 'bulk', jobId: string) {
  const { body } = await eventually(
    () => sender.get(`/contacts/${kind}/${jobId}`),
    (found) => found.body.finishedAt !== null,
  );
  return body;
}

/** Numbers of contacts, unsubscribed contacts, their events, and contacts with events. */
async function audience(): Promise<unknown> {
  expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  const [row] = await stack.sql(
    `select (select count(*)::int from contacts where project_id = $1) as contacts,
       (select count(*)::int from contacts where project_id = $1 and not subscribed) as out,
       (select count(*)::int from events where project_id = $1 and name = 'contact.unsubscribed') as flips,
       (select count(distinct contact_id)::int from events where project_id = $1) as flipped,
       (select count(*)::int from job_chunks) as chunks`,
    [sender.projectId],
  );
  return row;
}

describe('a worker that is killed', () => {
  it('in the middle of an import: another continues, each row is applied once, the counts are exact', async () => {
    // The first 5,000 already exist, and the file unsubscribes them; every tenth of the other rows is invalid.
    await addContacts(5_000);
    const lines = ['email,n,subscribed'];
    for (let n = 0; n < 20_000; n += 1) {
      const isBad = n >= 5_000 && n % 10 === 0;
      lines.push(`${isBad ? 'nobody' : `reader-${n}@example.com`},${n},${n < 5_000 ? 'no' : ''}`);
    }
    const release = await hold('reader-4500@example.com');
    const first = await stack.runningWorker();
    const { body } = await upload(`${stack.url}/contacts/import`, sender.secretKey, lines.join('\n'));
    await stuckInTheMiddle();
    await first.kill();
    const second = await stack.startWorker();
    await release();
    const job = await ended('import', body.jobId);
    expect(job).toMatchObject({
      state: 'completed',
      result: { totalRows: 20_000, created: 13_500, updated: 5_000, skipped: 1_500 },
    });
    expect(await audience()).toEqual({
      contacts: 18_500,
      out: 5_000,
      flips: 5_000,
      flipped: 5_000,
      chunks: 0,
    });
    const headers = { Authorization: `Bearer ${sender.secretKey}` };
    const file = await fetch(`${stack.url}/contacts/import/${body.jobId}/errors.csv`, { headers });
    const places = (await file.text()).split('\r\n').map((line) => Number.parseInt(line, 10));
    expect(places.slice(1, -1)).toEqual(Array.from({ length: 1_500 }, (_, at) => 5_002 + at * 10));
    expect(second.output).not.toContain('"level":"error"');
  });

  it.each([
    ['unsubscribe', { contacts: 1_000, out: 1_000, flips: 1_000, flipped: 1_000, chunks: 0 }],
    ['delete', { contacts: 0 }],
  ])(
    'in the middle of a bulk %s: another continues, and each contact is changed once',
    async (operation, left) => {
      const contactIds = await addContacts(1_000);
      const release = await hold('reader-550@example.com');
      const first = await stack.runningWorker();
      const { body } = await sender.post(`/contacts/bulk-${operation}`, { contactIds });
      await stuckInTheMiddle();
      await first.kill();
      await stack.startWorker();
      await release();
      expect(await ended('bulk', body.jobId)).toMatchObject({
        state: 'completed',
        result: { totalRequested: 1_000, successCount: 1_000, unchangedCount: 0, failureCount: 0 },
      });
      expect(await audience()).toMatchObject(left);
    },
  );
});

describe('two workers', () => {
  it('import the same file twice at the same time, and each contact is created by one of them', async () => {
    await Promise.all([stack.runningWorker(), stack.startWorker()]);
    const rows = Array.from(
      { length: 10_000 },
      (_, n) => `reader-${n}@example.com,${n},${n % 2 === 0 ? 'yes' : 'no'}`,
    );
    const file = `email,n,subscribed\n${rows.join('\n')}`;
    const answers = await Promise.all(
      [1, 2].map(() => upload(`${stack.url}/contacts/import`, sender.secretKey, file)),
    );
    const jobs = await Promise.all(answers.map((answer) => ended('import', answer.body.jobId)));
    const sum = (count: 'created' | 'updated' | 'skipped') =>
      jobs.reduce((total, job) => total + job.result[count], 0);
    expect([sum('created'), sum('updated'), sum('skipped')]).toEqual([10_000, 10_000, 0]);
    expect(await audience()).toMatchObject({ contacts: 10_000, out: 5_000, flips: 0 });
  });
});

it('many concurrent jobs of a project leave connections for the emails of others', async () => {
  const other = await createTestSender(stack.url);
  const [contactId] = await addContacts(1);
  const release = await hold('reader-0@example.com');
  await stack.runningWorker();
  const jobs: string[] = [];
  for (let n = 0; n < 30; n += 1) {
    const { body } = await sender.post('/contacts/bulk-unsubscribe', { contactIds: [contactId] });
    jobs.push(body.jobId);
  }
  await eventually(waitingForLocks, (waiting) => waiting > 1);
  const before = await stack.inboxTotal();
  const email = { from: `hello@${other.domain}`, to: 'ada@example.com', subject: 'Hello', body: 'Hello' };
  expect((await other.post('/v1/send', email)).status).toBe(200);
  await eventually(stack.inboxTotal, (total) => total > before);
  // Other work may wait for a moment, too; jobs beyond the limit would wait until the release.
  const most = 2 * stack.running('worker').length;
  await eventually(waitingForLocks, (waiting) => waiting <= most);
  await release();
  for (const jobId of jobs) expect(await ended('bulk', jobId)).toMatchObject({ state: 'completed' });
});
