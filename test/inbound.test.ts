import nodemailer from 'nodemailer';
import { describe, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import {
  contactOf,
  executionsOf,
  metric,
  reader,
  run,
  send,
  sender,
  stack,
  startedBy,
  stored,
  support,
  useInboundStage,
} from './setup/inbound-stage.ts';
import { deliver, receivedActivity } from './setup/incoming.ts';
import { buildWorkflow } from './setup/running-workflows.ts';
import { createTestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

useInboundStage(useSharedProduct());

describe('an email to a verified domain', () => {
  it('creates a contact for its sender, is stored, and emits its event', async () => {
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
    // Statistics of sent email have not changed.
    const stats = (await sender.get('/activity/stats')).body;
    expect(stats).toMatchObject({ sent: 0, delivered: 0, bounced: 0 });
    const series = (await sender.get('/analytics/timeseries')).body.data;
    expect(series.every((bucket: { sent: number }) => bucket.sent === 0)).toBe(true);
  });

  it('that replies to one of ours names it, starts a workflow, and ends a wait', async () => {
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

  it('names the email that it replies to by References alone', async () => {
    const { emailId, messageId } = await send(reader);
    await deliver(stack, { from: reader, to: support, references: [messageId, 'x@mail.example'] });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ emailId, isReply: true, inReplyTo: null });
  });

  it('changes no contact, even when a sender forges its address', async () => {
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

  it('reaches each project that owns one of the domains once', async () => {
    const other = await createTestSender(stack.url);
    const to = [support, `sales@${sender.domain}`, `info@${other.domain}`, 'nobody@elsewhere.example'];
    await deliver(stack, { from: reader, to });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata.recipients).toEqual([support, `sales@${sender.domain}`]);
    expect((await receivedActivity(other, 1))[0]?.metadata.to).toBe(`info@${other.domain}`);
  });

  it('is accepted by SMTP, as MIME, and only for domains of a project', async () => {
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

  it('to a domain that no project has verified is only counted', async () => {
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

  it('that is not a valid email is kept without content', async () => {
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

describe('automatic or harmful email', () => {
  it.each([
    ['auto-submitted', { headers: { 'Auto-Submitted': 'auto-replied' } }],
    ['bulk', { headers: { Precedence: 'bulk' } }],
    ['bulk', { headers: { 'List-Unsubscribe': '<https://mail.example/u/1>' } }],
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

  it('an email of ours that comes back starts nothing and creates no contact', async () => {
    const workflow = await startedBy();
    const { messageId } = await send(support);
    await deliver(stack, { from: `hello@${sender.domain}`, to: support, text: 'x', messageId });
    const [row] = await receivedActivity(sender, 1);
    expect(row?.metadata).toMatchObject({ automatic: 'own', messageId });
    expect(await executionsOf(workflow)).toEqual([]);
    expect(await contactOf(`hello@${sender.domain}`)).toBeUndefined();
  });

  it('two auto-responders stop answering each other after twenty emails an hour', async () => {
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
