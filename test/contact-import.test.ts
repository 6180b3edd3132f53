import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import {
  contacts,
  eventNames,
  imported,
  send,
  sender,
  stack,
  storedChunks,
  useImportStage,
} from './setup/import-stage.ts';
import { planIs } from './setup/segments.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';
import { upload } from './setup/upload.ts';

useImportStage(useSharedProduct());

const sendForm = (file: string, segmentId: string) =>
  send([
    { field: 'file', name: 'contacts.csv', content: file },
    { field: 'segmentId', content: segmentId },
  ]);

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
        repeated: 1,
        skipped: 1,
        errors: [{ row: 4, email: 'nobody', message: 'This is not an email address' }],
        notices: [],
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
    const fields = await stack.sql<{ key: string; type: string }>(
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

  it('sets the subscription where the column has a value, and journals each change once', async () => {
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
      { row: 8, email: 'maybe@example.com', message: expect.stringContaining('subscription') },
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
    await sender.post('/contacts', { email: 'snoozed@example.com', subscribed: false });
    await stack.sql(
      `update contacts set snoozed_until = now() + interval '1 day', suppression_reason = 'bounce', suppressed_at = now()
       where project_id = $1`,
      [sender.projectId],
    );
    await imported('email,subscribed\nsnoozed@example.com,1\n');
    expect(
      await stack.sql(
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

  it('updates addresses that repeat in later batches: the later row wins, key by key', async () => {
    const rows = Array.from(
      { length: 5_000 },
      (_, index) => `reader-${index % 1_500}@example.com,${index},${index < 1_500 ? 'first' : ''}`,
    );
    const job = await imported(`email,last,first\n${rows.join('\n')}\n`);
    expect(job.result).toEqual({
      totalRows: 5_000,
      created: 1_500,
      updated: 3_500,
      repeated: 3_500,
      skipped: 0,
      errors: [],
      notices: [],
    });
    const [sums] = await stack.sql(
      `select count(*)::int, count(distinct email)::int as emails, min((data->>'last')::int), max((data->>'last')::int),
         count(*) filter (where data->>'first' = 'first')::int as firsts
       from contacts where project_id = $1`,
      [sender.projectId],
    );
    expect(sums).toEqual({ count: 1_500, emails: 1_500, min: 3_500, max: 4_999, firsts: 1_500 });
  });

  it('makes the contacts of the file members of a static segment, also in later batches', async () => {
    const segment = { name: 'Fair', type: 'STATIC', trackMembership: true };
    const { id } = (await sender.post('/segments', segment)).body;
    await sender.post('/contacts', { email: 'before@example.com' });
    await sender.post('/contacts', { email: 'reader-7@example.com' });
    const rows = Array.from({ length: 2_500 }, (_, index) => `reader-${index}@example.com`);
    const { body } = await sendForm(`email\nbad\n${rows.join('\n')}\nreader-7@example.com\n`, id);
    await eventually(
      () => sender.get(`/contacts/import/${body.jobId}`),
      (job) => job.body.state === 'completed',
    );
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(2_500);
    const members = (await sender.get(`/segments/${id}/contacts?pageSize=1000`)).body;
    expect(members.total).toBe(2_500);
    const [entries] = await stack.sql(
      `select count(*)::int, count(distinct contact_id)::int as contacts from events where project_id = $1 and name = 'segment.fair.entry'`,
      [sender.projectId],
    );
    expect(entries).toEqual({ count: 2_500, contacts: 2_500 });
  });

  it('refuses a segment that is not static, or not of the project', async () => {
    const { id } = (await sender.post('/segments', { name: 'Paying', condition: planIs('pro') })).body;
    for (const segmentId of [id, unknownId, 'fair']) {
      const answer = await sendForm('email\nada@example.com\n', segmentId);
      expect(answer.status).toBe(422);
      expect(answer.body.error.errors).toEqual([
        { field: 'segmentId', code: 'custom', message: 'Expected the id of a static segment' },
      ]);
    }
    expect(await storedChunks()).toBe(0);
  });

  it('stays open while the project is disabled', async () => {
    await stack.sql('update projects set disabled = true where id = $1', [sender.projectId]);
    expect((await imported('email\nada@example.com\n')).state).toBe('completed');
  });

  it('accepts a file of 5 MB and refuses a larger one while it is uploaded, leaving nothing behind', async () => {
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

  it('leaves nothing behind when the client disconnects in the middle', async () => {
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
    await eventually(storedChunks, 0);
    expect(await stack.sql('select 1 from jobs where project_id = $1', [sender.projectId])).toEqual([]);
  });
});
