import type { RequiredEntityData } from '@mikro-orm/core';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { Job } from '../../../db/entities/job.ts';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import { insertJobChunk } from '../../../db/statements/jobs/insert-job-chunk.ts';
import { sql as run } from '../../../db/testing/sql.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { findWrongCounts } from '../../../test/setup/read-database.ts';
import { storeListeners } from '../../../test/setup/stored-workflows.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import type { ContactJobProgress } from '../../contracts/contact-jobs.ts';
import { changeContacts } from './change-contacts.ts';
import { importContacts } from './import-contacts.ts';
import { type JobContext, runJob } from './run-job.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

function context(changes: Partial<JobContext> = {}): JobContext {
  return {
    em: em(),
    signal: new AbortController().signal,
    note: () => undefined,
    committed: () => undefined,
    attempt: 1,
    sliceMs: 60_000,
    turns: new FairSemaphore(2),
    ...changes,
  };
}

async function insertJob(values: RequiredEntityData<Job>): Promise<void> {
  const own = em();
  own.create(Job, values);
  await own.flush();
}

async function addImport(text: string, segmentId?: string): Promise<string> {
  const id = uuidv7();
  const bytes = Buffer.from(text);
  const chunkBytes = 30_000;
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    await insertJobChunk(em(), id, start / chunkBytes, bytes.subarray(start, start + chunkBytes));
  }
  const file = { encoding: 'utf-8', damaged: false, delimiter: ',', bytes: bytes.length, segmentId };
  await insertJob({ id, projectId: project.id, type: 'import', file });
  return id;
}

async function addUnsubscribe(contactIds: string[]): Promise<string> {
  const id = uuidv7();
  const result = { operation: 'unsubscribe', totalRequested: contactIds.length };
  await insertJob({ id, projectId: project.id, type: 'bulk-unsubscribe', result, contactIds });
  return id;
}

const readJob = async (id: string) => {
  const [job] = await sql<{ state: string; progress: number; result: unknown; failedReason: string | null }>(
    'select state, progress, result, failed_reason as "failedReason" from jobs where id = $1',
    [id],
  );
  return job;
};

const rowCount = 9_000;
/** Every contact twice, the second time unsubscribed, and every tenth row is bad. */
function makeFile(): string {
  const lines = ['email,n,subscribed,price'];
  for (let n = 0; n < rowCount; n += 1) {
    const half = rowCount / 2;
    const address = n % 10 === 3 ? `bad-${n}` : `reader-${n % half}@example.com`;
    lines.push(`${address},${n},${n < half ? '' : 'no'},"${n},5"`);
  }
  return lines.join('\n');
}
const expectedResult = {
  totalRows: rowCount,
  created: rowCount * 0.45,
  updated: rowCount * 0.45,
  skipped: rowCount * 0.1,
};

async function expectAppliedOnce(jobId: string): Promise<void> {
  expect(await readJob(jobId)).toMatchObject({
    state: 'completed',
    progress: 100,
    result: expectedResult,
    failedReason: null,
  });
  const [found] = await sql(
    `select (select count(*)::int from contacts where project_id = $1) as contacts,
       (select count(*)::int from contacts where project_id = $1 and not subscribed) as out,
       (select count(*)::int from events where project_id = $1 and name = 'contact.unsubscribed') as flips,
       (select count(distinct contact_id)::int from events where project_id = $1) as flipped,
       (select count(*)::int from job_chunks where job_id = $2) as chunks`,
    [project.id, jobId],
  );
  const contacts = rowCount * 0.45;
  expect(found).toEqual({ contacts, out: contacts, flips: contacts, flipped: contacts, chunks: 0 });
  expect(await findWrongCounts(em(), project.id)).toEqual([]);
  const lines = await sql<{ line: string }>(
    `select unnest(string_to_array(rtrim(convert_from(bytes, 'UTF8'), E'\\r\\n'), E'\\r\\n')) as line
     from job_rejections where job_id = $1 order by position`,
    [jobId],
  );
  const rejected = Array.from({ length: rowCount / 10 }, (_, at) => at * 10 + 3);
  expect(lines.map(({ line }) => line)).toEqual([
    '\ufeffRejected row,Rejected because,email,n,subscribed,price',
    ...rejected.map(
      (n) => `${n + 2},This is not an email address,bad-${n},${n},${n < rowCount / 2 ? '' : 'no'},"${n},5"`,
    ),
  ]);
}

describe('an import', () => {
  it('resumes where it stopped, however often', async () => {
    const jobId = await addImport(makeFile());
    const outcomes: ContactJobProgress[] = [];
    for (let last: ContactJobProgress | undefined; last?.ended !== true; outcomes.push(last)) {
      last = await importContacts(context({ sliceMs: -1 }), jobId);
    }
    expect(outcomes.length).toBeGreaterThan(3);
    const progress = outcomes.map((each) => each.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'completed', progress: 100, counts: expectedResult });
    await expectAppliedOnce(jobId);
    expect(await readJob(jobId)).toMatchObject({
      result: {
        notices: [{ field: 'price', message: expect.stringMatching(/^8100 of 8100 values look like/) }],
      },
    });
    expect(await importContacts(context(), jobId)).toMatchObject({ ended: true, outcome: 'gone' });
  });

  it('applies each row once even when several workers run it concurrently', async () => {
    const jobId = await addImport(makeFile());
    const places: number[] = [];
    const note: JobContext['note'] = ({ counts }) => places.push(counts.totalRows ?? 0);
    const worker = async () => {
      for (;;) {
        const progress = await importContacts(context({ note }), jobId);
        if (progress.ended) return progress.outcome;
      }
    };
    const outcomes = await Promise.all([worker(), worker(), worker()]);
    expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(1);
    // No part was applied twice.
    expect(places).toHaveLength(new Set(places).size);
    await expectAppliedOnce(jobId);
  });

  it('survives the loss of a transaction in the middle', async () => {
    const jobId = await addImport(makeFile());
    let parts = 0;
    const broken = context({
      note: () => {
        parts += 1;
        if (parts === 2) throw new Error('the connection is gone');
      },
    });
    await expect(importContacts(broken, jobId)).rejects.toThrow('the connection is gone');
    expect(await readJob(jobId)).toMatchObject({ state: 'active' });
    expect(await importContacts(context(), jobId)).toMatchObject({ outcome: 'completed' });
    await expectAppliedOnce(jobId);
  });

  it('writes few large contacts in one transaction, and reports those that would become too large', async () => {
    const contacts = 100;
    await sql(
      `insert into contacts (id, project_id, email, data)
       select uuidv7(), $1, 'large-' || n || '@example.com',
         jsonb_build_object('a', repeat('x', case when n % 2 = 0 then 60000 else 65000 end))
       from generate_series(0, $2 - 1) n`,
      [project.id, contacts],
    );
    const rows = Array.from({ length: contacts }, (_, n) => `large-${n}@example.com,${'y'.repeat(1_000)}`);
    const jobId = await addImport(['email,b', ...rows].join('\n'));
    const places: number[] = [];
    const note: JobContext['note'] = ({ counts }) => places.push(counts.totalRows ?? 0);
    expect(await importContacts(context({ note }), jobId)).toMatchObject({ outcome: 'completed' });

    expect(places.length).toBeGreaterThanOrEqual(3);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    // The header is no row.
    expect(places.at(-1)).toBe(contacts);
    const tooLarge = rows.flatMap((_, n) => (n % 2 === 0 ? [] : [n]));
    expect(await readJob(jobId)).toMatchObject({
      result: {
        totalRows: contacts,
        created: 0,
        updated: contacts / 2,
        skipped: contacts / 2,
        errors: tooLarge.map((n) => ({
          row: n + 2,
          email: `large-${n}@example.com`,
          message: "The contact's data would have more than 64 KB",
        })),
      },
    });
  });

  it('keeps a segment locked for few rows at a time', async () => {
    const segmentId = uuidv7();
    const segment = `insert into segments (id, project_id, name, slug, type) values ($1, $2, 'Fair', 'fair', 'STATIC')`;
    await sql(segment, [segmentId, project.id]);
    const rows = Array.from({ length: 1_000 }, (_, n) => `reader-${n}@example.com`);
    const jobId = await addImport(['email', ...rows].join('\n'), segmentId);
    const places: number[] = [];
    const note: JobContext['note'] = ({ counts }) => places.push(counts.totalRows ?? 0);
    expect(await importContacts(context({ note }), jobId)).toMatchObject({ outcome: 'completed' });
    // The header is row 1.
    const steps = places.map((done, index) => done - (places[index - 1] ?? 1));
    expect(Math.max(...steps)).toBeLessThanOrEqual(250);
    const [members] = await sql('select count(*)::int from segment_members where segment_id = $1', [
      segmentId,
    ]);
    expect(members).toEqual({ count: 1_000 });
  });

  it('adds no contact to the segment whose row it has skipped', async () => {
    const segmentId = uuidv7();
    const segment = `insert into segments (id, project_id, name, slug, type) values ($1, $2, 'Skipped', 'skipped', 'STATIC')`;
    await sql(segment, [segmentId, project.id]);
    await sql(
      `insert into contacts (id, project_id, email, data)
       values (uuidv7(), $1, 'full@example.com', jsonb_build_object('a', repeat('x', 65000)))`,
      [project.id],
    );
    const rows = [`full@example.com,${'y'.repeat(1_000)}`, 'free@example.com,y'];
    const jobId = await addImport(['email,b', ...rows].join('\n'), segmentId);
    expect(await importContacts(context(), jobId)).toMatchObject({ counts: { created: 1, skipped: 1 } });
    const members = `select c.email from segment_members m join contacts c on c.id = m.contact_id where m.segment_id = $1`;
    expect(await sql(members, [segmentId])).toEqual([{ email: 'free@example.com' }]);
  });

  it('fails when its file is gone, and reports what it did before', async () => {
    const jobId = await addImport(makeFile());
    await sql('delete from job_chunks where job_id = $1 and position = 3', [jobId]);
    expect(await importContacts(context(), jobId)).toMatchObject({ ended: true, outcome: 'failed' });
    const job = await readJob(jobId);
    expect(job).toMatchObject({ state: 'failed', failedReason: 'The file of this import is gone' });
    const [{ count } = { count: 0 }] = await sql<{ count: number }>(
      'select count(*)::int as count from contacts where project_id = $1',
      [project.id],
    );
    expect(job?.result).toMatchObject({ created: count });
    expect(count).toBeGreaterThan(0);
  });
});

describe('a bulk operation', () => {
  it('changes each contact once even when several workers run it, each stopped repeatedly', async () => {
    const rows = await sql<{ id: string }>(
      `insert into contacts (id, project_id, email)
       select uuidv7(), $1, 'reader-' || n || '@example.com' from generate_series(1, 1000) n returning id`,
      [project.id],
    );
    const jobId = await addUnsubscribe(rows.map((row) => row.id));
    const worker = async () => {
      while (!(await changeContacts(context({ sliceMs: 5 }), jobId)).ended);
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(await readJob(jobId)).toMatchObject({
      state: 'completed',
      result: { totalRequested: 1_000, successCount: 1_000, unchangedCount: 0, failureCount: 0 },
    });
    const [{ flips } = { flips: 0 }] = await sql<{ flips: number }>(
      'select count(*)::int as flips from events where project_id = $1',
      [project.id],
    );
    expect(flips).toBe(1_000);
  });

  it('deletes contacts without a lock on all of their earlier emails at once', async () => {
    const [emails = []] = await acceptEmails(em(), [
      acceptInput(project.id, ['ada@example.com', 'bob@example.com']),
    ]);
    const contactIds = emails.map(({ contactId }) => contactId);
    const [first, last] = emails.map(({ emailId }) => emailId).toSorted();
    await sql(`update emails set status = 'DELIVERED' where id = $1`, [first]);
    const id = uuidv7();
    const result = { operation: 'delete', totalRequested: 2 };
    await insertJob({ id, projectId: project.id, type: 'bulk-delete', result, contactIds });
    let deleting: ReturnType<typeof changeContacts> | undefined;
    await em().transactional(async (holder) => {
      await run(holder, 'select from emails where id = $1 for update', [last]);
      deleting = changeContacts(context(), id);
      await untilBlocking(holder);
      const free = await sql('select to_email from emails where id = $1 for update nowait', [first]);
      expect(free).toEqual([{ to_email: '' }]);
    });
    expect(await deleting).toMatchObject({ outcome: 'completed', counts: { successCount: 2 } });
  });
});

describe('changes that start very many executions', () => {
  const addresses = Array.from({ length: 60 }, (_, n) => `reader-${n}@example.com`);
  const listen = () => storeListeners(em(), project.id, 'contact.unsubscribed', 200);
  const addContacts = () =>
    sql<{ id: string }>(
      'insert into contacts (id, project_id, email) select uuidv7(), $1, unnest($2::text[]) returning id',
      [project.id, addresses],
    );
  /** Executions started by each transaction. */
  const started = async () => {
    const counts = await sql<{ count: number }>(
      `select count(*)::int from events where project_id = $1 and name = 'workflow.started' group by xid`,
      [project.id],
    );
    return counts.map(({ count }) => count);
  };

  it('are imported few at a time', async () => {
    await listen();
    await addContacts();
    const jobId = await addImport(['email,subscribed', ...addresses.map((each) => `${each},no`)].join('\n'));
    const counts = { totalRows: 60, created: 0, updated: 60, skipped: 0 };
    expect(await importContacts(context(), jobId)).toMatchObject({ outcome: 'completed', counts });
    expect((await started()).reduce((sum, count) => sum + count, 0)).toBe(12_000);
    expect(Math.max(...(await started()))).toBeLessThanOrEqual(5_000);
  });

  it('are made few at a time by a bulk operation', async () => {
    await listen();
    const jobId = await addUnsubscribe((await addContacts()).map(({ id }) => id));
    const counts = { successCount: 60, unchangedCount: 0, failureCount: 0 };
    expect(await changeContacts(context(), jobId)).toMatchObject({ outcome: 'completed', counts });
    expect((await started()).reduce((sum, count) => sum + count, 0)).toBe(12_000);
    expect(Math.max(...(await started()))).toBeLessThanOrEqual(5_000);
  });
});

describe('a job', () => {
  it('is retried without limit while the database is away, and a few times after what looks like a bug', async () => {
    const jobId = await addUnsubscribe([uuidv7()]);
    const run = (error: Error, attempt: number) =>
      runJob(
        context({ attempt }),
        jobId,
        async () => {
          throw error;
        },
        () => ({}),
      );
    await expect(run(new Error('Connection terminated'), 1_000)).rejects.toThrow('Connection terminated');
    await expect(run(new TypeError('x is not a function'), 4)).rejects.toThrow('x is not');
    expect(await readJob(jobId)).toMatchObject({ state: 'waiting' });
    expect(await run(new TypeError('x is not a function'), 5)).toMatchObject({
      ended: true,
      outcome: 'failed',
    });
    expect(await readJob(jobId)).toMatchObject({
      state: 'failed',
      failedReason: 'An unexpected error occurred',
    });
  });

  it('that was deleted has nothing left to do', async () => {
    expect(await changeContacts(context(), uuidv7())).toMatchObject({ ended: true, outcome: 'gone' });
  });
});
