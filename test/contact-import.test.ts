import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/sql.ts';
import { eventually } from './setup/eventually.ts';
import { startTestProduct, type TestProduct } from './setup/product.ts';
import { createTestSender, type TestAnswer, type TestSender } from './setup/sender.ts';
import { type UploadFile, upload } from './setup/upload.ts';

let stack: TestProduct;
let sender: TestSender;
beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(() => stack.close());
beforeEach(async () => {
  sender = await createTestSender(stack.url);
});

const send = (file: string | Uint8Array | UploadFile[]): Promise<TestAnswer> =>
  upload(`${stack.url}/contacts/import`, sender.secretKey, file);

/** Sends a file and waits for the end of its job. */
async function imported(file: string | Uint8Array) {
  const answer = await send(file);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  expect(answer.body).toEqual({ message: expect.any(String), jobId: expect.any(String) });
  const { body } = await eventually(
    () => sender.get(`/contacts/import/${answer.body.jobId}`),
    (found) => found.body.finishedAt !== null,
  );
  return body;
}

/** The project's contacts by address. */
async function contacts(): Promise<Record<string, { subscribed: boolean; data: unknown }>> {
  const { body } = await sender.get('/contacts?limit=100&dir=asc');
  return Object.fromEntries(
    body.data.map((contact: { email: string; subscribed: boolean; data: unknown }) => [
      contact.email,
      { subscribed: contact.subscribed, data: contact.data },
    ]),
  );
}

async function eventNames(): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    stack.database.orm.em.fork(),
    'select name from events where project_id = $1 order by id',
    [sender.projectId],
  );
  return rows.map((row) => row.name);
}

async function storedChunks(): Promise<number> {
  const [row] = await sql<{ count: number }>(
    stack.database.orm.em.fork(),
    'select count(*)::int as count from job_chunks',
  );
  return row?.count ?? -1;
}

describe('POST /contacts/import', () => {
  it('creates and updates contacts, converts cells, and reports exact counts', async () => {
    await sender.post('/contacts', {
      email: 'ada@example.com',
      subscribed: false,
      data: { plan: 'free', kept: 1 },
    });
    const job = await imported(
      [
        'Email,firstName,plan,seats,active,zip,phone,long,ratio,signedUp,score,id',
        'ADA@example.com,Ada,pro,3,TRUE,01234,+49301234,12345678901234567890,-0.5,2026-01-31,1e5,x',
        'grace@example.com,Grace,,0,false,,,,1.25,2026-01-31T10:00:00Z,"1,5",y',
        'nobody,Nobody,,,,,,,,,,',
        'ada@example.com,Augusta,,,,,,,,,,',
      ].join('\n'),
    );
    expect(job).toEqual({
      id: expect.any(String),
      type: 'import',
      state: 'completed',
      progress: 100,
      result: {
        totalRows: 4,
        created: 1,
        updated: 2,
        skipped: 1,
        errors: [{ row: 4, email: 'nobody', message: 'This is not an email address' }],
      },
      failedReason: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    expect(await contacts()).toEqual({
      'ada@example.com': {
        subscribed: false,
        data: {
          kept: 1,
          firstName: 'Augusta',
          plan: 'pro',
          seats: 3,
          active: true,
          zip: '01234',
          phone: '+49301234',
          long: '12345678901234567890',
          ratio: -0.5,
          signedUp: '2026-01-31',
          score: '1e5',
        },
      },
      'grace@example.com': {
        subscribed: true,
        data: {
          firstName: 'Grace',
          seats: 0,
          active: false,
          ratio: 1.25,
          signedUp: '2026-01-31T10:00:00Z',
          score: '1,5',
        },
      },
    });
    const fields = await sql<{ key: string; type: string }>(
      stack.database.orm.em.fork(),
      'select key, type from contact_fields where project_id = $1',
      [sender.projectId],
    );
    const types = Object.fromEntries(fields.map(({ key, type }) => [key, type]));
    expect(types).toMatchObject({
      firstName: 'string',
      seats: 'number',
      active: 'boolean',
      zip: 'string',
      phone: 'string',
      signedUp: 'date',
    });
    expect(await eventNames()).toEqual([]);
    expect(await storedChunks()).toBe(0);
  });

  it('sets the subscription where the column says so, and journals each flip once', async () => {
    for (const [name, subscribed] of [
      ['in', true],
      ['out', false],
      ['stays-in', true],
      ['stays-out', false],
      ['both', true],
    ] as const) {
      await sender.post('/contacts', { email: `${name}@example.com`, subscribed });
    }
    const job = await imported(
      [
        'email;SUBSCRIBED',
        'in@example.com;no',
        'out@example.com;YES',
        'stays-in@example.com;',
        'stays-out@example.com;',
        'new-in@example.com;',
        'new-out@example.com;0',
        'maybe@example.com;perhaps',
        'both@example.com;false',
        'both@example.com;true',
      ].join('\r\n'),
    );
    expect(job.result).toMatchObject({ totalRows: 9, created: 2, updated: 6, skipped: 1 });
    expect(job.result.errors).toEqual([
      { row: 8, email: 'maybe@example.com', message: expect.stringContaining('subscribed') },
    ]);
    const found = await contacts();
    expect(
      Object.fromEntries(Object.entries(found).map(([email, contact]) => [email, contact.subscribed])),
    ).toEqual({
      'in@example.com': false,
      'out@example.com': true,
      'stays-in@example.com': true,
      'stays-out@example.com': false,
      'new-in@example.com': true,
      'new-out@example.com': false,
      'both@example.com': true,
    });
    expect((await eventNames()).sort()).toEqual([
      'contact.subscribed',
      'contact.subscribed',
      'contact.unsubscribed',
      'contact.unsubscribed',
    ]);
  });

  it('ends a snooze and lifts a suppression when it subscribes, as every other call does', async () => {
    const em = stack.database.orm.em.fork();
    await sender.post('/contacts', { email: 'snoozed@example.com', subscribed: false });
    await sql(
      em,
      `update contacts set snoozed_until = now() + interval '1 day', suppression_reason = 'bounce', suppressed_at = now()
       where project_id = $1`,
      [sender.projectId],
    );
    await imported('email,subscribed\nsnoozed@example.com,1\n');
    expect(
      await sql(
        em,
        'select subscribed, snoozed_until, suppression_reason, suppressed_at from contacts where project_id = $1',
        [sender.projectId],
      ),
    ).toEqual([{ subscribed: true, snoozed_until: null, suppression_reason: null, suppressed_at: null }]);
  });

  it('lists the first 100 bad rows and counts them all', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `bad-${index},x`);
    const job = await imported(`email,note\n${rows.join('\n')}\nada@example.com,y\n`);
    expect(job.result).toMatchObject({ totalRows: 251, created: 1, updated: 0, skipped: 250 });
    expect(job.result.errors).toHaveLength(100);
    expect(job.result.errors[99]).toMatchObject({ row: 101, email: 'bad-99' });
  });

  it('reports a row whose contact would grow beyond 64 KB, and imports the others', async () => {
    const big = 'x'.repeat(40_000);
    await sender.post('/contacts', { email: 'full@example.com', data: { before: big } });
    const job = await imported(
      [
        'email,after',
        'ada@example.com,1',
        `full@example.com,${big}`,
        `huge@example.com,${big}${big}`,
        'grace@example.com,2',
      ].join('\n'),
    );
    expect(job.result).toMatchObject({ totalRows: 4, created: 2, updated: 0, skipped: 2 });
    expect(
      job.result.errors.map((error: { row: number; email: string }) => [error.row, error.email]),
    ).toEqual([
      [3, 'full@example.com'],
      [4, 'huge@example.com'],
    ]);
    expect(Object.keys(await contacts())).toEqual([
      'full@example.com',
      'ada@example.com',
      'grace@example.com',
    ]);
  });

  it('goes over addresses again in later batches: the later row wins, key by key', async () => {
    const rows = Array.from(
      { length: 5_000 },
      (_, index) => `reader-${index % 1_500}@example.com,${index},${index < 1_500 ? 'first' : ''}`,
    );
    const job = await imported(`email,last,first\n${rows.join('\n')}\n`);
    expect(job.result).toEqual({ totalRows: 5_000, created: 1_500, updated: 3_500, skipped: 0, errors: [] });
    const [sums] = await sql(
      stack.database.orm.em.fork(),
      `select count(*)::int, count(distinct email)::int as emails, min((data->>'last')::int), max((data->>'last')::int),
         count(*) filter (where data->>'first' = 'first')::int as firsts
       from contacts where project_id = $1`,
      [sender.projectId],
    );
    expect(sums).toEqual({ count: 1_500, emails: 1_500, min: 3_500, max: 4_999, firsts: 1_500 });
  });

  it('stays open while the project is disabled', async () => {
    await sql(stack.database.orm.em.fork(), 'update projects set disabled = true where id = $1', [
      sender.projectId,
    ]);
    expect((await imported('email\nada@example.com\n')).state).toBe('completed');
  });

  it('takes a file of 5 MB and refuses a longer one while it comes in, leaving nothing behind', async () => {
    const most = 5 * 1024 * 1024;
    const row = `ada@example.com,${'x'.repeat(1_000)}\n`;
    const text = `email,note\n${row.repeat(Math.floor((most - 11) / row.length))}`;
    const fits = text.padEnd(most, '\n');
    expect((await imported(fits)).result).toMatchObject({ created: 1, skipped: 0 });
    const longer = await send(`${fits}\n`);
    expect(longer.status).toBe(413);
    expect(longer.body.error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { limitBytes: most } });
    const streamed = await upload(`${stack.url}/contacts/import`, sender.secretKey, `${fits}\n`, {
      chunked: true,
    });
    expect(streamed.status).toBe(413);
    expect(await storedChunks()).toBe(0);
  });

  it('leaves nothing behind when the client goes away in the middle', async () => {
    const { hostname, port } = new URL(stack.url);
    const client = request({
      hostname,
      port,
      path: '/contacts/import',
      method: 'POST',
      headers: {
        Authorization: `Bearer ${sender.secretKey}`,
        'Content-Type': 'multipart/form-data; boundary=b',
        'Content-Length': 4_000_000,
      },
    });
    client.on('error', () => undefined);
    client.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n');
    client.write('a@example.com\n'.repeat(60_000));
    await eventually(storedChunks, (count) => count > 0);
    client.destroy();
    await eventually(storedChunks, (count) => count === 0);
    expect(
      await sql(stack.database.orm.em.fork(), 'select 1 from jobs where project_id = $1', [sender.projectId]),
    ).toEqual([]);
  });

  it.each<[string, string, number]>([
    [
      'another file',
      '\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="b.csv"\r\n\r\nemail\n\r\n--b--\r\n',
      400,
    ],
    ['no end of the form', '\r\n--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nHel', 400],
    [
      'far too much text',
      `\r\n--b\r\nContent-Disposition: form-data; name="note"\r\n\r\n${'x'.repeat(6 * 1024 * 1024)}\r\n--b--\r\n`,
      413,
    ],
  ])('imports nothing of a file that is followed by %s', async (_what, rest, status) => {
    const answered = Promise.withResolvers<number | undefined>();
    const client = request(`${stack.url}/contacts/import`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${sender.secretKey}`,
        'Content-Type': 'multipart/form-data; boundary=b',
      },
    });
    client.on('response', (answer) => answered.resolve(answer.resume().statusCode));
    // A refusal may end the connection while the rest of the form is on its way.
    client.on('error', () => undefined);
    client.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n');
    client.write('a@example.com\n'.repeat(60_000));
    await eventually(storedChunks, (count) => count > 0);
    client.write('\r\n--b\r\nContent-Disposition: form-data; name="first"\r\n\r\n1');
    // The whole file has been read by now.
    await delay(500);
    client.end(rest);
    expect(await answered.promise).toBe(status);
    await eventually(storedChunks, (count) => count === 0);
    expect(
      await sql(stack.database.orm.em.fork(), 'select 1 from jobs where project_id = $1', [sender.projectId]),
    ).toEqual([]);
    expect(await contacts()).toEqual({});
  });

  it('refuses what is not one file in a form with 400', async () => {
    const file = { field: 'file', name: 'a.csv', content: 'email\na@example.com\n' };
    const cases: [string, UploadFile[]][] = [
      ['no file', []],
      ['another field', [{ ...file, field: 'upload' }]],
      ['a text instead of a file', [{ field: 'file', content: 'email\n' }]],
      ['several files', [file, file]],
    ];
    for (const [what, files] of cases) {
      const answer = await send(files);
      expect(answer.status, what).toBe(400);
      expect(answer.body.error.code, what).toBe('BAD_REQUEST');
      expect(answer.body.error.message, what).toContain('"file"');
    }
    const json = await sender.post('/contacts/import', { file: 'email' });
    expect(json.status).toBe(400);
    expect(json.body.error.message).toContain('multipart/form-data');
    for (const [type, body] of [
      ['multipart/form-data', 'email\n'],
      [
        'multipart/form-data; boundary=b',
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nemail',
      ],
      ['multipart/form-data; boundary=b', 'nonsense'],
    ]) {
      const answer = await fetch(`${stack.url}/contacts/import`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${sender.secretKey}`, 'Content-Type': type ?? '' },
        body: body ?? '',
      });
      expect(answer.status, body).toBe(400);
    }
    expect(await storedChunks()).toBe(0);
  });

  it('refuses a file that is no CSV file of contacts with 422 that says what to do', async () => {
    for (const [file, message] of [
      ['', /empty/],
      ['name,phone\nAda,1\n', /called "email"/],
    ] as const) {
      const answer = await send(file);
      expect(answer.status).toBe(422);
      expect(answer.body.error.errors).toEqual([
        { field: 'file', code: 'custom', message: expect.stringMatching(message) },
      ]);
    }
    expect(await storedChunks()).toBe(0);
  });
});

describe('GET /contacts/import/:jobId', () => {
  it('answers 404 for the job of another project, of another kind and for an unknown one, 422 for no id', async () => {
    const { body } = await send('email\nada@example.com\n');
    const other = await createTestSender(stack.url);
    expect((await other.get(`/contacts/import/${body.jobId}`)).status).toBe(404);
    expect((await sender.get(`/contacts/bulk/${body.jobId}`)).status).toBe(404);
    expect((await sender.get(`/contacts/import/${sender.projectId}`)).status).toBe(404);
    expect((await sender.get('/contacts/import/nonsense')).status).toBe(422);
  });

  it('shows a progress that never falls, and the result at the end', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `reader-${index}@example.com,${index}`);
    const { body } = await send(`email,n\n${rows.join('\n')}`);
    const seen: { state: string; progress: number; result: unknown }[] = [];
    await eventually(
      async () => {
        seen.push((await sender.get(`/contacts/import/${body.jobId}`)).body);
        return seen.at(-1);
      },
      (job) => job?.state === 'completed',
    );
    const progress = seen.map((job) => job.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
    for (const job of seen) {
      if (job.state !== 'completed') expect(job.result).toBeNull();
    }
    expect(seen.at(-1)?.result).toMatchObject({ totalRows: 30_000, created: 30_000 });
  });
});
