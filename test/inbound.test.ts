import { randomUUID } from 'node:crypto';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteExpired } from '../db/repositories/outbox/sweeps.ts';
import { sql } from '../db/sql.ts';
import { createSnsSigner } from '../local/ses/sns-signer.ts';
import { eventually } from './setup/eventually.ts';
import { allRead, deliver, receivedActivity } from './setup/incoming.ts';
import { startTestProduct, type TestProduct, testTopic } from './setup/product.ts';
import { buildWorkflow } from './setup/running-workflows.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

let stack: TestProduct;
let sender: TestSender;
let support: string;
beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(() => stack.close());
beforeEach(async () => {
  sender = await createTestSender(stack.url);
  support = `support@${sender.domain}`;
});

const reader = 'reader@example.com';
const run = <Row = object>(text: string, parameters: unknown[] = []) =>
  sql<Row>(stack.database.orm.em.fork(), text, parameters);
const stored = () => run('select * from inbound_emails where project_id = $1', [sender.projectId]);
const contactOf = async (email: string) =>
  (await sender.get(`/contacts?search=${encodeURIComponent(email)}`)).body.data.find(
    (contact: { email: string }) => contact.email === email,
  );

/** Sends an email and answers its id and the id of its header, once it has arrived. */
async function send(to: string): Promise<{ emailId: string; messageId: string }> {
  const from = `hello@${sender.domain}`;
  const sent = await sender.post('/v1/send', { to, from, subject: 'Question', body: 'How are you?' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  const emailId = sent.body.data.emails[0].email;
  const { body } = await eventually(
    () => sender.get('/events?name=email.sent'),
    (answer) => answer.body.data.some((event: { emailId: string }) => event.emailId === emailId),
  );
  const event = body.data.find((one: { emailId: string }) => one.emailId === emailId);
  return { emailId, messageId: `${event.data.messageId}@email.amazonses.com` };
}

const executionsOf = async (id: string) => (await sender.get(`/workflows/${id}/executions`)).body.data;
const startedBy = (eventName = 'email.received') =>
  buildWorkflow(sender, { end: { type: 'EXIT', config: {} } }, [['start', 'end']], {
    eventName,
    allowReentry: true,
  });

describe('an email to a verified domain', () => {
  it('makes its sender a contact, is kept, and tells of itself', async () => {
    const workflow = await startedBy();
    await deliver(stack, {
      from: '"Ada, Countess" <Ada@Example.com>',
      to: [support, 'someone@elsewhere.example'],
      subject: 'Grüße',
      text: 'Hello',
      html: '<p onclick="x()">Hello<script>x()</script></p>',
      attachments: [{ filename: 'notes.txt', content: Buffer.from('12345').toString('base64') }],
    });
    const [row] = await receivedActivity(sender, 1);
    const contact = await contactOf('ada@example.com');
    expect(contact).toMatchObject({ subscribed: true, data: {} });
    expect(row).toMatchObject({ contactId: contact.id, contactEmail: 'ada@example.com' });
    expect(row?.metadata).toEqual({
      emailId: row?.metadata.inboundId,
      inboundId: expect.any(String),
      isReply: false,
      messageId: expect.stringMatching(/^[^<>]+@[^<>]+$/),
      from: 'ada@example.com',
      fromName: 'Ada, Countess',
      to: support,
      recipients: [support],
      subject: 'Grüße',
      inReplyTo: null,
      hasContent: true,
      attachmentCount: 1,
      automatic: null,
      spfVerdict: 'PASS',
      dkimVerdict: 'PASS',
      dmarcVerdict: 'PASS',
      spamVerdict: 'PASS',
      virusVerdict: 'PASS',
      sourceType: 'INBOUND',
    });
    const email = await sender.get(`/inbound/${row?.metadata.inboundId}`);
    expect(email.status, JSON.stringify(email.body)).toBe(200);
    expect(email.body).toMatchObject({
      status: 'KEPT',
      from: 'ada@example.com',
      to: [support],
      contactId: contact.id,
      emailId: null,
      text: 'Hello',
      html: '<p>Hello</p>',
      attachments: [{ filename: 'notes.txt', contentType: 'text/plain', size: 5 }],
    });
    expect(await executionsOf(workflow)).toHaveLength(1);
    const other = await createTestSender(stack.url);
    expect((await other.get(`/inbound/${row?.metadata.inboundId}`)).status).toBe(404);
    // Nothing that counts what was sent has moved.
    const stats = (await sender.get('/activity/stats')).body;
    expect(stats).toMatchObject({ sent: 0, delivered: 0, bounced: 0 });
    const series = (await sender.get('/analytics/timeseries')).body.data;
    expect(series.every((bucket: { sent: number }) => bucket.sent === 0)).toBe(true);
  });

  it('that answers one of ours names it, starts a workflow, and ends a wait', async () => {
    const starting = await startedBy();
    const waiting = await buildWorkflow(
      sender,
      {
        wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'email.received' } },
        end: { type: 'EXIT', config: { reason: 'answered' } },
      },
      [
        ['start', 'wait'],
        ['wait', 'end'],
      ],
      { eventName: 'asked' },
    );
    await sender.post('/v1/track', { email: reader, event: 'asked' });
    await eventually(
      () => executionsOf(waiting),
      (found) => found[0]?.status === 'WAITING',
    );
    const { emailId, messageId } = await send(reader);
    await deliver(stack, {
      from: reader,
      to: support,
      subject: 'Re: Question',
      text: 'Fine',
      inReplyTo: messageId,
      references: ['unknown@mail.example', messageId],
    });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ emailId, isReply: true, inReplyTo: messageId });
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).body.emailId).toBe(emailId);
    await eventually(
      () => executionsOf(waiting),
      (found) => found[0]?.exitReason === 'answered',
    );
    const [execution, ...others] = await executionsOf(starting);
    expect(others).toEqual([]);
    const detail = await sender.get(`/workflows/${starting}/executions/${execution.id}`);
    expect(detail.status).toBe(200);
    const [event] = (await sender.get('/events?name=email.received')).body.data;
    expect(event).toMatchObject({ emailId, contactId: row?.contactId });
  });

  it('names the email that it answers by References alone', async () => {
    const { emailId, messageId } = await send(reader);
    await deliver(stack, { from: reader, to: support, references: [messageId, 'x@mail.example'] });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ emailId, isReply: true, inReplyTo: null });
  });

  it('leaves a contact as it is, whoever writes in its name', async () => {
    const { body } = await sender.post('/contacts', {
      email: reader,
      subscribed: false,
      data: { plan: 'pro' },
    });
    await deliver(stack, {
      from: `Mallory <${reader}>`,
      to: support,
      verdicts: { dmarc: 'FAIL', spf: 'FAIL' },
    });
    const [row] = await receivedActivity(sender, 1);
    expect(row).toMatchObject({ contactId: body.id, metadata: { dmarcVerdict: 'FAIL', spfVerdict: 'FAIL' } });
    const { subscribed, data, updatedAt } = (await sender.get(`/contacts/${body.id}`)).body;
    expect({ subscribed, data, updatedAt }).toEqual({
      subscribed: false,
      data: { plan: 'pro' },
      updatedAt: body.updatedAt,
    });
  });

  it('comes to each project that holds one of the domains, once', async () => {
    const other = await createTestSender(stack.url);
    const to = [support, `sales@${sender.domain}`, `info@${other.domain}`, 'nobody@elsewhere.example'];
    await deliver(stack, { from: reader, to });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata.recipients).toEqual([support, `sales@${sender.domain}`]);
    expect((await receivedActivity(other, 1))[0]?.metadata.to).toBe(`info@${other.domain}`);
  });

  it('comes in by SMTP, as MIME, and to no domain that nobody has', async () => {
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: stack.ses.smtpPort ?? 0,
      secure: false,
    });
    await transport.sendMail({ from: reader, to: support, subject: 'By SMTP', text: 'Hello' });
    await expect(transport.sendMail({ from: reader, to: 'x@nobody.example', text: 'x' })).rejects.toThrow(
      /550/,
    );
    transport.close();
    await deliver(stack, `From: ${reader}\r\nTo: ${support}\r\nSubject: As MIME\r\n\r\nHello\r\n`);
    const rows = await receivedActivity(sender, 2);
    expect(rows.map(({ metadata }) => metadata.subject).sort()).toEqual(['As MIME', 'By SMTP']);
  });

  it('of a domain that no project has verified is counted and nothing else', async () => {
    const before = await metric('unknown');
    await deliver(stack, { from: reader, to: 'x@nobody.example' });
    await eventually(
      () => metric('unknown'),
      (now) => now > before,
    );
    expect(await run('select id from inbound_emails where recipients && $1', [['x@nobody.example']])).toEqual(
      [],
    );
  });

  it('is fetched from the bucket when it is large', async () => {
    const content = Buffer.alloc(400_000, 'x').toString('base64');
    const delivered = await deliver(stack, {
      from: reader,
      to: support,
      text: 'See the file',
      attachments: [{ filename: 'large.bin', content, contentType: 'application/octet-stream' }],
    });
    expect(delivered.action).toBe('S3');
    const [row] = await receivedActivity(sender, 1);
    const { body } = await sender.get(`/inbound/${row?.metadata.inboundId}`);
    expect(body).toMatchObject({
      text: 'See the file',
      attachments: [{ filename: 'large.bin', contentType: 'application/octet-stream', size: 400_000 }],
    });
  });

  it('beyond 30 MB is kept without content', async () => {
    const lines = `${'x'.repeat(998)}\r\n`.repeat(32 * 1024);
    await deliver(stack, `From: ${reader}\r\nTo: ${support}\r\nSubject: Huge\r\n\r\n${lines}`);
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ subject: 'Huge', hasContent: false });
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).body).toMatchObject({
      status: 'UNREADABLE',
      text: null,
    });
  });

  it('that is no email a mail program writes is kept without content', async () => {
    let nested = '';
    for (let level = 0; level < 1_500; level += 1) {
      nested += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
    }
    await deliver(
      stack,
      `From: ${reader}\r\nTo: ${support}\r\nSubject: Nested\r\n${nested}`,
      `?to=${support}&from=${reader}`,
    );
    const [row] = await receivedActivity(sender, 1);
    expect(row).toMatchObject({ contactEmail: reader, metadata: { hasContent: false, subject: 'Nested' } });
  });
});

async function metric(outcome: string): Promise<number> {
  const text = await (await fetch(`${stack.url}/metrics`)).text();
  const line = new RegExp(`^posthaste_provider_notifications_total\\{outcome="${outcome}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

describe('what nobody wrote, or nobody should read,', () => {
  it.each([
    ['auto-submitted', { headers: { 'Auto-Submitted': 'auto-replied' } }],
    ['bulk', { headers: { Precedence: 'bulk' } }],
    ['bounce', { source: '' }],
  ])('%s: is in the feed, starts nothing, and ends no wait', async (automatic, fields) => {
    const workflow = await startedBy();
    const { body: contact } = await sender.post('/contacts', { email: reader });
    await deliver(stack, { from: reader, to: support, text: 'I am away', ...fields });
    const [row] = await receivedActivity(sender, 1);
    expect(row).toMatchObject({ contactId: contact.id, metadata: { automatic, hasContent: true } });
    expect(await executionsOf(workflow)).toEqual([]);
    expect((await sender.get('/events?name=email.received')).body.data).toEqual([]);
  });

  it('an email of ours that comes back starts nothing and makes no contact', async () => {
    const workflow = await startedBy();
    const { messageId } = await send(support);
    await deliver(stack, { from: `hello@${sender.domain}`, to: support, text: 'x', messageId });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ automatic: 'own', messageId });
    expect(await executionsOf(workflow)).toEqual([]);
    expect(await contactOf(`hello@${sender.domain}`)).toBeUndefined();
  });

  it('two machines that answer each other stop after twenty emails an hour', async () => {
    const workflow = await startedBy();
    for (let n = 0; n < 20; n += 1) await deliver(stack, { from: reader, to: support, subject: `${n}` });
    await receivedActivity(sender, 20);
    await deliver(stack, { from: reader, to: support, subject: 'one more', text: 'x' });
    const [row] = await receivedActivity(sender, 21);
    expect(row?.metadata).toMatchObject({ subject: 'one more', automatic: 'flood', hasContent: true });
    expect(
      (await run('select id from workflow_executions where workflow_id = $1', [workflow])).length,
    ).toBeLessThanOrEqual(20);
  });

  it.each(['spam', 'virus'])('%s is kept without content, and triggers nothing', async (kind) => {
    const workflow = await startedBy();
    await deliver(stack, {
      from: reader,
      to: support,
      subject: 'Buy',
      text: 'x',
      verdicts: { [kind]: 'FAIL' },
    });
    const [row] = await receivedActivity(sender, 1);
    expect(row).toMatchObject({
      contactId: null,
      metadata: { hasContent: false, [`${kind}Verdict`]: 'FAIL', from: reader },
    });
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).body).toMatchObject({
      status: 'REJECTED',
      text: null,
      hasContent: false,
    });
    const [kept] = await stored();
    expect(kept).toMatchObject({ raw: null, text: null, html: null });
    expect(await executionsOf(workflow)).toEqual([]);
    expect(await contactOf(reader)).toBeUndefined();
  });
});

describe('the notification of an email', () => {
  const notification = (changes: { mail?: object; action?: object; content?: string } = {}) =>
    JSON.stringify({
      notificationType: 'Received',
      mail: {
        timestamp: new Date().toISOString(),
        source: reader,
        messageId: `given-${sender.projectId}`,
        destination: [support],
        headers: [{ name: 'From', value: reader }],
        ...changes.mail,
      },
      receipt: { recipients: [support], action: { type: 'SNS', encoding: 'UTF8', ...changes.action } },
      content: changes.content ?? `From: ${reader}\r\n\r\nHello`,
    });
  const accept = (id: string, message: string) => stack.product.services.inbound.accept(id, message);

  it('counts once, however often it comes, and however often SES tells of the email', async () => {
    const id = randomUUID();
    const at = '2026-11-22T10:00:00.000Z';
    const message = notification({ mail: { timestamp: at } });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => accept(id, message)));
    expect(outcomes.sort()).toEqual(['applied', ...Array.from({ length: 9 }, () => 'duplicate')]);
    expect(await accept(randomUUID(), message)).toBe('duplicate');
    await allRead(stack);
    expect(await accept(randomUUID(), message)).toBe('duplicate');
    await receivedActivity(sender, 1);
    expect(await stored()).toHaveLength(1);
  });

  it('is refused when it names a bucket that is not configured', async () => {
    const object = { action: { type: 'S3', bucketName: 'of-somebody-else', objectKey: 'x' } };
    await expect(accept(randomUUID(), notification(object))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await stored()).toEqual([]);
  });

  it('of an object that is not there waits for it, and nothing is lost', async () => {
    const object = { action: { type: 'S3', bucketName: 'local-inbound', objectKey: '0100-not-there-yet' } };
    expect(await accept(randomUUID(), notification(object))).toBe('applied');
    const [pending] = await stored();
    expect(pending).toMatchObject({ status: 'PENDING', object_key: '0100-not-there-yet' });
    // Its turn comes when the object does.
    const delivered = await deliver(stack, { from: reader, to: 'x@nobody.example', text: 'Late' });
    await run('update inbound_emails set object_key = $2 where project_id = $1', [
      sender.projectId,
      delivered.id,
    ]);
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ hasContent: true });
  });

  it('is refused when it is forged or of another topic', async () => {
    const signer = await createSnsSigner();
    const forged = signer.sign({
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: testTopic,
      Message: notification(),
      Timestamp: new Date().toISOString(),
      SigningCertURL: `${stack.ses.url}/sns/SimpleNotificationService-${signer.certificateId}.pem`,
    });
    const post = async (message: unknown) =>
      (await fetch(`${stack.url}/webhooks/sns`, { method: 'POST', body: JSON.stringify(message) })).status;
    expect(await post({ ...forged, TopicArn: 'arn:aws:sns:us-east-1:000000000000:other' })).toBe(403);
    // The certificate is not that of the local SES, and could not be had.
    expect(await post(forged)).toBe(503);
    expect(await stored()).toEqual([]);
  });

  it('is taken apart whatever it holds', async () => {
    for (const message of [
      '{}',
      '{"notificationType":"Received"}',
      'Successfully validated SNS topic',
      '[]',
    ]) {
      expect(await accept(randomUUID(), message)).toBeUndefined();
    }
    const odd = notification({
      mail: {
        messageId: `odd-${sender.projectId}`,
        headers: [{ name: 'Subject', value: '\0\ud800=?UTF-8?B?AA==?=' }],
      },
      content: '\0\ud800',
    });
    expect(await accept(randomUUID(), odd)).toBe('applied');
    const [row] = await receivedActivity(sender, 1);
    expect(row).toMatchObject({ contactId: null, metadata: { from: null } });
  });
});

describe('what is kept of an email', () => {
  it('is counted by month, and beyond the limit nothing is kept', async () => {
    const limits = `/users/@me/projects/${sender.projectId}/billing-limits`;
    expect((await sender.put(limits, { inbound: 2 })).body.inbound).toBe(2);
    const before = await metric('over_limit');
    for (let n = 0; n < 3; n += 1) await deliver(stack, { from: reader, to: support, subject: `${n}` });
    await eventually(
      () => metric('over_limit'),
      (now) => now === before + 1,
    );
    await receivedActivity(sender, 2);
    expect(await stored()).toHaveLength(2);
    const consumption = `/users/@me/projects/${sender.projectId}/billing-consumption`;
    expect((await sender.get(consumption)).body.categories).toMatchObject({
      inbound: { used: 2, limit: 2, remaining: 0 },
      transactional: { used: 0 },
    });
  });

  it('goes after its retention, but for who wrote what when', async () => {
    await deliver(stack, { from: reader, to: support, subject: 'Old', text: 'x', html: '<p>x</p>' });
    const [row] = await receivedActivity(sender, 1);
    await run(`update inbound_emails set created_at = now() - interval '8 days' where project_id = $1`, [
      sender.projectId,
    ]);
    await deleteExpired(stack.database.orm.em.fork(), 7);
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).body).toMatchObject({
      subject: 'Old',
      hasContent: false,
      text: null,
      html: null,
      attachments: [],
    });
  });

  it('goes with its contact', async () => {
    await deliver(stack, { from: reader, to: support, text: 'x' });
    const [row] = await receivedActivity(sender, 1);
    expect((await sender.delete(`/contacts/${row?.contactId}`)).status).toBe(204);
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).status).toBe(404);
    expect(await stored()).toEqual([]);
  });
});
