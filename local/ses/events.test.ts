import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SendEmailCommand, type SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseFile } from './mail/mail-store.ts';
import { defaultTopicArn } from './server.ts';
import { emailTo, soon, startTestSes, type TestSes } from './testing/test-ses.ts';
import { type ReceivedEvent, startWebhookReceiver } from './testing/webhook-receiver.ts';

async function startPair({ confirm = true, webhookAnswerMs = 15_000 } = {}) {
  const receiver = await startWebhookReceiver({ confirm });
  onTestFinished(receiver.close);
  const test = await startTestSes({ webhookUrl: receiver.url, webhookAnswerMs });
  await test.verify('example.test');
  if (confirm) await expect.poll(async () => (await test.figures()).confirmed, soon).toBe(true);
  return { test, receiver };
}

const send = async (test: TestSes, to: string, replaced: Partial<SendEmailCommandInput> = {}) => {
  const { MessageId: id } = await test.client.send(new SendEmailCommand(emailTo(to, replaced)));
  return id ?? '';
};

const typesOf = (events: ReceivedEvent[]): string[] => events.map(({ eventType }) => eventType).sort();

describe('subscription', () => {
  it('is confirmed by visiting the address in a signed message, and only then do events flow', async () => {
    const { test, receiver } = await startPair({ confirm: false });
    await expect.poll(() => receiver.messages.length, soon).toBe(1);
    await send(test, 'ada@x.test');
    expect(await test.figures()).toMatchObject({ confirmed: false, queued: 2, delivered: 0 });
    expect(receiver.messages[0]).toMatchObject({
      Type: 'SubscriptionConfirmation',
      TopicArn: defaultTopicArn,
    });
    expect(receiver.forgeries).toBe(0);

    const subscribeUrl = new URL(receiver.messages[0]?.SubscribeURL ?? '');
    const wrong = await fetch(`${subscribeUrl.origin}/sns/confirm?Action=ConfirmSubscription&Token=guess`);
    expect(wrong.status).toBe(400);
    expect((await test.figures()).confirmed).toBe(false);

    const confirmed = await fetch(subscribeUrl);
    expect(await confirmed.text()).toContain(`<SubscriptionArn>${defaultTopicArn}:`);
    await receiver.until((events) => events.length === 2);
  });

  it('is requested again while the webhook cannot be reached or refuses', async () => {
    const { receiver } = await startPair();

    const late = await startWebhookReceiver({ confirm: true });
    onTestFinished(late.close);
    late.answerWith(null);
    const other = await startTestSes({ webhookUrl: late.url });
    await new Promise((resolve) => setTimeout(resolve, 200));
    late.answerWith(500);
    await new Promise((resolve) => setTimeout(resolve, 200));
    late.answerWith(200);
    await expect.poll(async () => (await other.figures()).confirmed, soon).toBe(true);
    expect(receiver.forgeries + late.forgeries).toBe(0);
  });

  it('is remembered per webhook', async () => {
    const { test, receiver } = await startPair();
    const again = await test.restart();
    expect((await again.figures()).confirmed).toBe(true);
    expect(receiver.messages).toHaveLength(1);
    const elsewhere = await startWebhookReceiver({ confirm: false });
    onTestFinished(elsewhere.close);
    const moved = await again.restart({ webhookUrl: elsewhere.url });
    expect((await moved.figures()).confirmed).toBe(false);
    await expect.poll(() => elsewhere.messages.length, soon).toBe(1);
  });
});

describe('published events', () => {
  it('are genuine SNS notifications', async () => {
    const { test, receiver } = await startPair();
    const id = await send(test, 'Ada <ada@x.test>', {
      EmailTags: [
        { Name: 'emailId', Value: 'e1' },
        { Name: 'projectId', Value: 'p1' },
      ],
    });
    await receiver.until((events) => events.length === 2);
    expect(receiver.forgeries).toBe(0);
    const notification = receiver.messages.at(-1);
    expect(notification).toMatchObject({
      Type: 'Notification',
      TopicArn: defaultTopicArn,
      Subject: 'Amazon SES Email Event Notification',
      SignatureVersion: '2',
      SigningCertURL: expect.stringMatching(
        `^${test.ses.url}/sns/SimpleNotificationService-[0-9a-f]{32}\\.pem$`,
      ),
    });
    expect(receiver.headers.get(notification?.MessageId ?? '')).toMatchObject({
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-message-id': notification?.MessageId,
      'x-amz-sns-topic-arn': defaultTopicArn,
      'x-amz-sns-subscription-arn': expect.stringContaining(`${defaultTopicArn}:`),
    });
    const delivery = receiver.events().find(({ eventType }) => eventType === 'Delivery');
    expect(delivery).toMatchObject({
      mail: {
        messageId: id,
        source: 'Shop <hello@example.test>',
        destination: ['ada@x.test'],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        commonHeaders: { subject: 'Your order', to: ['Ada <ada@x.test>'] },
        tags: { emailId: ['e1'], projectId: ['p1'], 'ses:configuration-set': ['posthaste'] },
      },
      delivery: {
        recipients: ['ada@x.test'],
        timestamp: expect.any(String),
        smtpResponse: expect.any(String),
      },
    });
    expect(delivery?.mail.headers).toContainEqual({ name: 'Subject', value: 'Your order' });
  });

  it('follow the simulator address', async () => {
    const { test, receiver } = await startPair();
    const link = 'https://example.test/?a=1&b=2';
    await send(test, 'clicked+x@simulator.amazonses.com', {
      Content: {
        Simple: {
          Subject: { Data: 's' },
          Body: { Html: { Data: `<a href="${link.replace('&', '&amp;')}">x</a>` } },
        },
      },
    });
    await send(test, 'bounce@simulator.amazonses.com');
    await send(test, 'suppressionlist@simulator.amazonses.com');
    await send(test, 'complaint@simulator.amazonses.com');
    await receiver.until((events) => events.length === 11);
    const byType = (type: string) => receiver.events().filter(({ eventType }) => eventType === type);
    expect(typesOf(receiver.events())).toEqual([
      ...['Bounce', 'Bounce', 'Click', 'Complaint', 'Delivery', 'Delivery'],
      ...['Open', 'Send', 'Send', 'Send', 'Send'],
    ]);
    expect(byType('Click')[0]).toMatchObject({ click: { link } });
    const subTypes = byType('Bounce').map(({ bounce }) => bounce);
    expect(subTypes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          bounceType: 'Permanent',
          bounceSubType: 'General',
          feedbackId: expect.any(String),
          bouncedRecipients: [expect.objectContaining({ emailAddress: 'bounce@simulator.amazonses.com' })],
        }),
        expect.objectContaining({ bounceType: 'Permanent', bounceSubType: 'OnAccountSuppressionList' }),
      ]),
    );
    expect(byType('Complaint')[0]).toMatchObject({
      complaint: { complainedRecipients: [{ emailAddress: 'complaint@simulator.amazonses.com' }] },
    });
  });

  it('can be requested through the API', async () => {
    const { test, receiver } = await startPair();
    const id = await send(test, 'ada@x.test');
    const ask = (body: object) => test.control('POST', `/api/messages/${id}/events`, body);
    expect(await ask({ type: 'open' })).toEqual({ status: 202, body: { eventType: 'Open' } });
    await ask({ type: 'click', link: 'https://example.test/x' });
    await ask({ type: 'bounce', bounceType: 'Transient' });
    await ask({ type: 'bounce' });
    await ask({ type: 'complaint' });
    await receiver.until((events) => events.length === 7);
    const bounces = receiver.events().filter(({ eventType }) => eventType === 'Bounce');
    expect(bounces.map(({ bounce }) => (bounce as { bounceType: string }).bounceType).sort()).toEqual([
      'Permanent',
      'Transient',
    ]);
    expect(receiver.events()).toContainEqual(
      expect.objectContaining({
        eventType: 'Click',
        click: expect.objectContaining({ link: 'https://example.test/x' }),
      }),
    );
    expect((await ask({ type: 'click' })).status).toBe(400);
    expect((await ask({ type: 'reply' })).status).toBe(400);
    expect((await test.control('POST', '/api/messages/none/events', { type: 'open' })).status).toBe(404);
  });

  it('are not published without a configuration set', async () => {
    const { test, receiver } = await startPair();
    const silent = await send(test, 'silent@x.test', { ConfigurationSetName: undefined });
    expect((await test.control('POST', `/api/messages/${silent}/events`, { type: 'open' })).status).toBe(409);
    await send(test, 'all@x.test');
    await receiver.until((events) => events.length === 2);
    expect((await test.figures()).queued).toBe(0);
    expect(
      receiver
        .events()
        .map(({ eventType, mail }) => `${mail.destination[0]} ${eventType}`)
        .sort(),
    ).toEqual(['all@x.test Delivery', 'all@x.test Send']);
  });

  it('are published even for a call whose response was dropped', async () => {
    const { test, receiver } = await startPair();
    await test.control('PUT', '/api/faults', { dropReplyEvery: 1 });
    await expect(send(test, 'ada@x.test')).rejects.toThrow();
    await receiver.until((events) => events.length === 2);
  });
});

describe('delivery of events', () => {
  it('is held back until resumed', async () => {
    const { test, receiver } = await startPair();
    await test.control('PUT', '/api/events', { paused: true });
    await send(test, 'ada@x.test');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await test.figures()).toMatchObject({ paused: true, queued: 2, delivered: 0 });
    expect(receiver.events()).toEqual([]);
    await test.control('PUT', '/api/events', { paused: false });
    await receiver.until((events) => events.length === 2);
    await expect
      .poll(test.figures, soon)
      .toMatchObject({ paused: false, queued: 0, delivered: 2, failed: 0 });
  });

  it('goes on once the database can be read again, and holds up no call before', async () => {
    const { test, receiver } = await startPair();
    await test.control('PUT', '/api/events', { paused: true });
    await send(test, 'ada@x.test');
    const database = new DatabaseSync(join(test.dataDir, databaseFile));
    onTestFinished(() => database.close());
    database.exec(`update event set content = 'damaged ' || content`);
    expect(await test.control('PUT', '/api/events', { paused: false })).toMatchObject({ status: 200 });
    await send(test, 'bob@x.test');
    expect(receiver.events()).toEqual([]);
    database.exec(`update event set content = replace(content, 'damaged ', '')`);
    await receiver.until((events) => events.length === 4);
  });

  it('is repeated with the same message id and content until the webhook takes it', async () => {
    const { test, receiver } = await startPair();
    receiver.answerWith(503);
    await send(test, 'ada@x.test');
    await expect.poll(async () => (await test.figures()).retried, soon).toBeGreaterThan(2);
    receiver.answerWith(null);
    const before = (await test.figures()).retried;
    await expect.poll(async () => (await test.figures()).retried, soon).toBeGreaterThan(before);
    receiver.answerWith(200);
    await receiver.until((events) => events.length === 2);
    expect(typesOf(receiver.events())).toEqual(['Delivery', 'Send']);
    const attempts = receiver.attempts.filter(({ Type: type }) => type === 'Notification');
    expect(attempts.length).toBeGreaterThan(4);
    expect(new Set(attempts.map(({ MessageId: id, Message: text }) => `${id} ${text}`)).size).toBe(2);
    await expect.poll(test.figures, soon).toMatchObject({ queued: 0, delivered: 2 });
  });

  it('delivers each of thousands of events exactly once to a webhook that answers', async () => {
    // A busy machine may take longer for 200 events at once than SNS waits.
    const { test, receiver } = await startPair({ webhookAnswerMs: 180_000 });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, n) => send(test, `a${round}-${n}@x.test`)));
    }
    await receiver.until((events) => events.length === 1_000);
    await expect.poll(test.figures, soon).toMatchObject({ queued: 0, delivered: 1_000, retried: 0 });
    expect(receiver.messages).toHaveLength(1_001);
    expect(receiver.forgeries).toBe(0);
  });
});
