import { describe, expect, it } from 'vitest';
import { codesByField } from './setup/answer.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { arrived } from './setup/inbox.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const email = (changes: Record<string, unknown> = {}) => ({
  to: 'ada@example.com',
  from: `hello@${sender.domain}`,
  subject: 'Hello',
  body: '<p>Hello {{ firstName }}</p>',
  ...changes,
});

describe('recipients', () => {
  it('sends each recipient of a mixed list an email, and returns them in order', async () => {
    const answer = await sender.post(
      '/v1/send',
      email({
        to: ['ada@example.com', { email: 'GRACE@example.com', name: 'Grace' }, 'ada@example.com'],
      }),
    );
    const { emails, timestamp } = answer.body.data;
    expect(emails.map((one: { contact: { email: string } }) => one.contact.email)).toEqual([
      'ada@example.com',
      'grace@example.com',
      'ada@example.com',
    ]);
    expect(emails[0].contact.id).toBe(emails[2].contact.id);
    expect(new Set(emails.map((one: { email: string }) => one.email)).size).toBe(3);
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
    expect((await arrived(stack.ses, answer, 1)).to).toEqual(['Grace <grace@example.com>']);
  });

  it('names the invalid recipient, and creates nothing', async () => {
    const answer = await sender.post(
      '/v1/send',
      email({ to: ['fine@example.com', { email: 'not an address' }] }),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.error.code).toBe('VALIDATION_ERROR');
    expect(codesByField(answer)).toEqual({ 'to.1.email': 'invalid_string' });
    expect((await sender.get('/contacts')).body.total).toBe(0);
  });
});

describe('sender', () => {
  it('refuses an unknown and an unverified domain with 403', async () => {
    const unknown = await sender.post('/v1/send', email({ from: 'hello@elsewhere.test' }));
    expect(unknown.status).toBe(403);
    expect(unknown.body.error).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      details: { reason: 'DOMAIN_NOT_REGISTERED', domain: 'elsewhere.test' },
    });
    const pending = `pending.${sender.domain}`;
    expect((await sender.post('/domains', { domain: pending })).status).toBe(201);
    const refused = await sender.post('/v1/send', email({ from: `hello@${pending}` }));
    expect(refused.status).toBe(403);
    expect(refused.body.error.details).toEqual({ reason: 'DOMAIN_NOT_VERIFIED', domain: pending });
    expect((await sender.get('/contacts')).body.total).toBe(0);
  });

  it("refuses another project's domain", async () => {
    const other = await createTestSender(stack.url);
    const answer = await sender.post('/v1/send', email({ from: `hello@${other.domain}` }));
    expect(answer.body.error.details.reason).toBe('DOMAIN_NOT_REGISTERED');
  });

  it('uses the deprecated name only if from has none', async () => {
    const plain = await sender.post('/v1/send', email({ name: 'Old Name' }));
    expect((await arrived(stack.ses, plain)).from).toBe(`Old Name <hello@${sender.domain}>`);
    const both = await sender.post(
      '/v1/send',
      email({
        name: 'Old Name',
        from: { name: 'Zoë "Z" Ö', email: `hello@${sender.domain}` },
      }),
    );
    expect((await arrived(stack.ses, both)).from).toContain('Zoë "Z" Ö'.replaceAll('"', '\\"').slice(0, 3));
  });
});

describe('content', () => {
  it('sends HTML, a plain-text part, headers and a reply address', async () => {
    const answer = await sender.post(
      '/v1/send',
      email({
        body: '<h1>Offer</h1><p>See <a href="https://example.com/x?a=1&amp;b=2">this</a></p>',
        headers: { 'X-Entity-Ref-ID': 'ref 1' },
        reply: 'Answers@Example.com',
      }),
    );
    const message = await arrived(stack.ses, answer);
    expect(message.html).toContain('<h1>Offer</h1>');
    expect(message.text).toMatch(/offer/i);
    expect(message.text).toContain('https://example.com/x?a=1&b=2');
    expect(message.text).not.toContain('<');
    expect(message.headers['X-Entity-Ref-ID']).toBe('ref 1');
    expect(message.replyTo).toBe('answers@example.com');
  });

  it('escapes data in the body, not in the subject, and keeps line breaks out of headers', async () => {
    const answer = await sender.post(
      '/v1/send',
      email({
        subject: 'Hi {{ firstName }}',
        body: '<p>{{ firstName }} {{ firstName | raw }}</p>',
        data: { firstName: '<b>&\r\nBcc: everyone@example.com' },
      }),
    );
    const message = await arrived(stack.ses, answer);
    expect(message.subject).toBe('Hi <b>& Bcc: everyone@example.com');
    expect(message.html).toContain('&lt;b&gt;&amp;');
    expect(message.html).toContain('<b>&\r\nBcc');
    expect(Object.keys(message.headers)).not.toContain('Bcc');
  });

  it('refuses Liquid that does not parse, with line and column', async () => {
    const answer = await sender.post('/v1/send', email({ subject: '{{ open', body: '<p>\n{% if %}</p>' }));
    expect(answer.status).toBe(422);
    expect(Object.keys(codesByField(answer))).toEqual(['subject', 'body']);
    expect(answer.body.error.errors[1].message).toMatch(/line 2, column 6/);
  });

  it('carries attachments and inline images, bytes unchanged', async () => {
    const bytes = Buffer.from([0, 1, 2, 250, 251, 252]);
    const answer = await sender.post(
      '/v1/send',
      email({
        body: '<p><img src="cid:logo"></p>',
        attachments: [
          { filename: 'report ü.pdf', content: bytes.toString('base64'), contentType: 'application/pdf' },
          {
            filename: 'logo.png',
            content: bytes.toString('base64'),
            contentType: 'image/png',
            disposition: 'inline',
            contentId: 'logo',
          },
        ],
      }),
    );
    const message = await arrived(stack.ses, answer);
    expect(message.attachments).toEqual([
      expect.objectContaining({
        filename: 'report ü.pdf',
        contentType: 'application/pdf',
        disposition: 'attachment',
        size: 6,
      }),
      expect.objectContaining({ filename: 'logo.png', contentId: 'logo', disposition: 'inline', size: 6 }),
    ]);
    const stored = await stack.sql<{ bytes: Buffer }>('select bytes from email_attachments');
    for (const row of stored) expect(row.bytes.equals(bytes)).toBe(true);
  });

  it('delivers the longest header and content id that are accepted', async () => {
    const [note, contentId] = ['n'.repeat(998), 'c'.repeat(255)];
    const answer = await sender.post(
      '/v1/send',
      email({
        body: `<p>Offer</p><img src="cid:${contentId}">`,
        headers: { 'X-Note': note },
        reply: 'answers@example.com',
        attachments: [
          { filename: 'a.png', content: 'AQID', contentType: 'image/png', contentId, disposition: 'inline' },
        ],
      }),
    );
    const message = await arrived(stack.ses, answer);
    expect(message).toMatchObject({
      html: expect.stringContaining('<p>Offer</p>'),
      replyTo: 'answers@example.com',
      headers: expect.objectContaining({ 'X-Note': note }),
      attachments: [expect.objectContaining({ filename: 'a.png', contentId, size: 3 })],
    });
  });

  it('delivers all of a subject and a header of 998 characters beyond U+FFFF', async () => {
    const text = '😀'.repeat(998);
    const answer = await sender.post('/v1/send', email({ subject: text, headers: { 'X-Note': text } }));
    const message = await arrived(stack.ses, answer);
    expect(message).toMatchObject({ subject: text, headers: expect.objectContaining({ 'X-Note': text }) });
  });

  it('names what it refused without half of a surrogate pair, which strict JSON parsers reject', async () => {
    const long = `x${'😀'.repeat(999)}`;
    const key = `x${'😀'.repeat(120)}`;
    const refused = [
      await sender.post('/v1/send', email({ subject: long })),
      await sender.post('/v1/send', email({ data: { [key]: { [`x${key}`]: '\0' } } })),
      await sender.post(`/campaigns/${await draftCampaign(sender)}/send`, { scheduledFor: long }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 400]);
    expect(JSON.stringify(refused.map(({ body }) => body))).not.toMatch(/\\ud[89a-f]/);
  });

  it('reports every error of a request at once', async () => {
    const tenMegabytes = Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64');
    const answer = await sender.post('/v1/send', {
      to: 'nobody',
      subject: 'two\nlines',
      from: { email: `hello@${sender.domain}`, name: 'A\r\nB' },
      headers: { 'X-Bad': 'a\r\nBcc: x', Subject: 'no', 'Sp ace': 'x', 'X-Long': 'x'.repeat(999) },
      reply: 'a b@example.com',
      attachments: [
        { filename: 'a"b.txt', content: 'aGk=', contentType: 'text/plain' },
        { filename: 'c.png', content: 'aGk=', contentType: 'image/png', disposition: 'inline' },
        { filename: 'd.bin', content: tenMegabytes, contentType: 'application/octet-stream' },
        { filename: 'e.txt', content: 'not base64!', contentType: 'nonsense' },
      ],
    });
    expect(answer.status).toBe(422);
    expect(codesByField(answer)).toMatchObject({
      to: 'invalid_string',
      subject: 'invalid_string',
      'from.name': 'invalid_string',
      'headers.X-Bad': 'invalid_string',
      'headers.Subject': 'reserved_header',
      'headers.Sp ace': 'invalid_string',
      'headers.X-Long': 'too_big',
      reply: 'invalid_string',
      'attachments.0.filename': 'invalid_string',
      'attachments.1.contentId': 'invalid_type',
      'attachments.3.content': 'invalid_string',
      'attachments.3.contentType': 'invalid_string',
    });
    const eleven = Array.from({ length: 11 }, () => ({
      filename: 'a',
      content: 'aGk=',
      contentType: 'text/plain',
    }));
    expect(codesByField(await sender.post('/v1/send', email({ attachments: eleven })))).toEqual({
      attachments: 'too_big',
    });
    const large = [{ filename: 'd.bin', content: tenMegabytes, contentType: 'application/octet-stream' }];
    expect(codesByField(await sender.post('/v1/send', email({ attachments: large })))).toEqual({
      attachments: 'too_big',
    });
    expect(codesByField(await sender.post('/v1/send', {}))).toMatchObject({
      to: 'invalid_type',
      subject: 'invalid_type',
      body: 'invalid_type',
      from: 'invalid_type',
    });
    expect(codesByField(await sender.post('/v1/send', email({ subject: 'x'.repeat(999) })))).toEqual({
      subject: 'too_big',
    });
  });
});

describe('the contact of a recipient', () => {
  it('is created unsubscribed, keeps its state when subscribed is left out, and journals a change', async () => {
    const created = await sender.post(
      '/v1/send',
      email({ data: { firstName: 'Ada', score: 3, gone: 'soon', none: '' } }),
    );
    const { id } = created.body.data.emails[0].contact;
    expect((await sender.get(`/contacts/${id}`)).body).toMatchObject({
      subscribed: false,
      data: { firstName: 'Ada', score: 3, gone: 'soon' },
    });
    await sender.post('/v1/send', email({ subscribed: true, data: { gone: null, firstName: '' } }));
    await sender.post('/v1/send', email());
    expect((await sender.get(`/contacts/${id}`)).body).toMatchObject({
      subscribed: true,
      data: { firstName: 'Ada', score: 3 },
    });
    const events = await eventually(
      () => sender.get('/events?name=contact.subscribed'),
      (answer) => answer.body.data.length > 0,
    );
    expect(events.body.data).toEqual([
      expect.objectContaining({ name: 'contact.subscribed', contactId: id }),
    ]);
  });

  it('does not store one-time values', async () => {
    const answer = await sender.post(
      '/v1/send',
      email({
        body: '<p>{{ code }} {{ plan }} {{ data.plan }}</p>',
        data: { code: { value: 'X1', persistent: false }, plan: { value: 'pro', persistent: true } },
      }),
    );
    expect((await arrived(stack.ses, answer)).html).toContain('<p>X1 pro pro</p>');
    const { id } = answer.body.data.emails[0].contact;
    expect((await sender.get(`/contacts/${id}`)).body.data).toEqual({ plan: 'pro' });
  });

  it('drops reserved keys, and is refused alone for data beyond 64 KB', async () => {
    const dropped = await sender.post(
      '/v1/send',
      email({ data: { email: 'x@example.com', id: 1, plan: 'pro' } }),
    );
    const { id } = dropped.body.data.emails[0].contact;
    expect((await sender.get(`/contacts/${id}`)).body.data).toEqual({ plan: 'pro' });
    const half = { a: 'x'.repeat(40_000) };
    expect((await sender.post('/v1/send', email({ data: half }))).status).toBe(200);
    const both = await Promise.all([
      sender.post('/v1/send', email({ data: { b: 'x'.repeat(40_000) } })),
      sender.post('/v1/send', email({ to: 'grace@example.com', data: half })),
    ]);
    expect(both.map((answer) => answer.status)).toEqual([422, 200]);
    expect(codesByField(both[0])).toEqual({ data: 'too_big' });
  });

  it('is refused when it writes more than 8 MB of data to its recipients', async () => {
    const to = (count: number) => Array.from({ length: count }, (_, n) => `reader-${n}@example.com`);
    const data = { a: 'x'.repeat(60_000) };
    const refused = await sender.post('/v1/send', email({ to: to(200), data }));
    expect(refused.status).toBe(422);
    expect(codesByField(refused)).toEqual({ data: 'too_big' });
    expect((await sender.post('/v1/send', email({ to: to(20), data }))).status).toBe(200);
  });

  it('is written in small transactions when it is large for all recipients together', async () => {
    const data = { a: 'x'.repeat(30_000) };
    const calls = Array.from({ length: 12 }, (_, call) => {
      const to = Array.from({ length: 30 }, (_, n) => `reader-${call}-${n}@example.com`);
      return sender.post('/v1/send', email({ to, data }));
    });
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    const transactions = await stack.sql<{ contacts: number }>(
      'select count(*)::int as contacts from contacts where project_id = $1 group by xmin::text',
      [sender.projectId],
    );
    for (const { contacts } of transactions) expect(contacts).toBeLessThanOrEqual(2 * 30);
    expect(transactions.reduce((sum, { contacts }) => sum + contacts, 0)).toBe(12 * 30);
  });
});

describe('an Idempotency-Key', () => {
  it('lets one of fifty equal requests through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => sender.post('/v1/send', email(), { 'Idempotency-Key': 'order 1' })),
    );
    const accepted = answers.filter((answer) => answer.status === 200);
    expect(accepted).toHaveLength(1);
    const refused = await sender.post('/v1/send', email(), { 'Idempotency-Key': 'order 1' });
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { key: 'order 1', originalRequest: 'POST /v1/send', originalStatusCode: 200 },
    });
    const [row] = await stack.sql<{ count: number }>(
      'select count(*)::int as count from emails where project_id = $1',
      [sender.projectId],
    );
    expect(row?.count).toBe(1);
  });

  it('is shared with track, freed by a refusal and compared by case', async () => {
    const track = { email: 'ada@example.com', event: 'signed_up' };
    expect((await sender.post('/v1/track', track, { 'Idempotency-Key': 'k' })).status).toBe(200);
    expect((await sender.post('/v1/send', email(), { 'Idempotency-Key': 'k' })).status).toBe(409);
    expect((await sender.post('/v1/send', email(), { 'Idempotency-Key': 'K' })).status).toBe(200);
    const refused = await sender.post('/v1/send', email({ from: 'x@elsewhere.test' }), {
      'Idempotency-Key': 'r',
    });
    expect(refused.status).toBe(403);
    expect((await sender.post('/v1/send', email(), { 'Idempotency-Key': 'r' })).status).toBe(200);
    expect((await sender.post('/v1/send', email(), { 'Idempotency-Key': '' })).body.error.code).toBe(
      'INVALID_IDEMPOTENCY_KEY',
    );
  });
});

describe('a disabled project', () => {
  it('is refused before its body is read', async () => {
    await stack.sql('update projects set disabled = true where id = $1', [sender.projectId]);
    await stack.sql(`select pg_notify('project_changed', $1)`, [sender.projectId]);
    const answer = await eventually(
      () => sender.post('/v1/send', {}),
      (found) => found.status === 403,
    );
    expect(answer.body.error.code).toBe('PROJECT_DISABLED');
  });
});
