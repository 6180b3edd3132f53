import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { soon, startTestSes, type TestSes } from './testing/test-ses.ts';
import { startWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

async function startPair(): Promise<{ test: TestSes; receiver: WebhookReceiver }> {
  const receiver = await startWebhookReceiver({ confirm: true });
  onTestFinished(receiver.close);
  const test = await startTestSes({ webhookUrl: receiver.url, smtpPort: 0 });
  await test.verify('shop.test');
  return { test, receiver };
}

/** The notifications about received emails, once there are that many. */
async function received(receiver: WebhookReceiver, count: number) {
  const all = () =>
    receiver.messages.filter(({ Message }) => Message.includes('"notificationType":"Received"'));
  await expect.poll(() => all().length, soon).toBe(count);
  return all().map(({ Message }) => JSON.parse(Message));
}

const mail = { from: 'Ada <ada@example.com>', to: 'support@shop.test', subject: 'Hi', text: 'Hello' };

describe('a received email', () => {
  it('is notified with its bytes, signed like any notification', async () => {
    const { test, receiver } = await startPair();
    const answer = await test.control('POST', '/api/inbound', { ...mail, verdicts: { spam: 'FAIL' } });
    expect(answer).toMatchObject({
      status: 202,
      body: { source: 'ada@example.com', recipients: ['support@shop.test'], action: 'SNS' },
    });
    const [notification] = await received(receiver, 1);
    expect(notification).toMatchObject({
      mail: {
        source: 'ada@example.com',
        destination: ['support@shop.test'],
        commonHeaders: { subject: 'Hi' },
      },
      receipt: {
        recipients: ['support@shop.test'],
        spamVerdict: { status: 'FAIL' },
        virusVerdict: { status: 'PASS' },
        action: { type: 'SNS', encoding: 'BASE64' },
      },
    });
    const names = notification.mail.headers.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Return-Path', 'From', 'Subject', 'Message-ID']));
    const email = await PostalMime.parse(Buffer.from(notification.content, 'base64'));
    expect(email).toMatchObject({ subject: 'Hi', text: expect.stringContaining('Hello') });
    expect(receiver.forgeries).toBe(0);
  });

  it('stays in the bucket when it is large', async () => {
    const { test, receiver } = await startPair();
    const content = Buffer.alloc(200_000, 'x').toString('base64');
    await test.control('POST', '/api/inbound', { ...mail, attachments: [{ filename: 'a.bin', content }] });
    const [{ receipt, content: none }] = await received(receiver, 1);
    expect(none).toBeUndefined();
    expect(receipt.action).toMatchObject({ type: 'S3', bucketName: 'local-inbound' });
    const object = await fetch(`${test.ses.url}/local-inbound/${receipt.action.objectKey}`);
    const email = await PostalMime.parse(await object.arrayBuffer());
    expect(email.attachments).toHaveLength(1);
    for (const key of ['0100-not-there-at-all-00', '..%2fstate.json']) {
      expect((await fetch(`${test.ses.url}/local-inbound/${key}`)).status).toBe(404);
    }
  });

  it('arrives as MIME, with its own envelope', async () => {
    const { test, receiver } = await startPair();
    const answer = await fetch(`${test.ses.url}/api/inbound?from=&to=a@shop.test,b@shop.test&dmarc=FAIL`, {
      method: 'POST',
      headers: { 'content-type': 'message/rfc822' },
      body: 'From: ada@example.com\r\nSubject: Raw\r\n\r\nHello\r\n',
    });
    expect(answer.status).toBe(202);
    const [{ mail: told, receipt }] = await received(receiver, 1);
    expect(told).toMatchObject({ source: '', destination: ['a@shop.test', 'b@shop.test'] });
    expect(receipt.dmarcVerdict).toEqual({ status: 'FAIL' });
  });

  it('arrives over SMTP for domains verified here, and is refused for others', async () => {
    const { test, receiver } = await startPair();
    const port = test.ses.smtpPort ?? 0;
    const transport = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false });
    onTestFinished(() => transport.close());
    await transport.sendMail({ ...mail, envelope: { from: '', to: ['support@shop.test'] } });
    const [notification] = await received(receiver, 1);
    expect(notification.mail).toMatchObject({ source: '', destination: ['support@shop.test'] });
    await expect(transport.sendMail({ ...mail, to: 'support@other.test' })).rejects.toThrow(/550/);
  });

  it('is notified after a restart, if it was not before', async () => {
    const { test, receiver } = await startPair();
    await expect.poll(async () => (await test.figures()).confirmed, soon).toBe(true);
    await test.control('PUT', '/api/events', { paused: true });
    await test.control('POST', '/api/inbound', mail);
    await test.restart();
    const [notification] = await received(receiver, 1);
    expect(notification.mail.commonHeaders.subject).toBe('Hi');
  });

  it.each([
    ['no recipient', { from: 'ada@example.com', to: [] }, 400],
    ['no sender', { to: 'support@shop.test' }, 400],
    ['an unknown verdict', { ...mail, verdicts: { spam: 'MAYBE' } }, 400],
  ])('with %s is refused', async (_what, body, status) => {
    const { test } = await startPair();
    expect((await test.control('POST', '/api/inbound', body)).status).toBe(status);
  });

  it('is refused without an address to notify', async () => {
    const test = await startTestSes();
    expect((await test.control('POST', '/api/inbound', mail)).status).toBe(409);
  });
});
