import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSnsSigner } from '../local/ses/events/sns-signer.ts';
import { eventually } from './setup/eventually.ts';
import { messageOf, reportEvent } from './setup/inbox.ts';
import { testTopic } from './setup/product.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

async function send(to: string): Promise<{ contactId: string; emailId: string }> {
  const answer = await sender.post('/v1/send', {
    to,
    from: `hello@${sender.domain}`,
    subject: 'Hello',
    body: '<p><a href="https://example.com/offer">Offer</a></p>',
    subscribed: true,
  });
  const [{ contact, email }] = answer.body.data.emails;
  return { contactId: contact.id, emailId: email };
}

const types = async () => {
  const { body } = await sender.get('/activity?limit=100');
  return body.data.map((row: { type: string }) => row.type);
};

async function refusals(): Promise<number> {
  const text = await (await fetch(`${stack.url}/metrics`)).text();
  return Number(/^posthaste_provider_notifications_total\{outcome="refused"\} (\d+)$/m.exec(text)?.[1]);
}

describe('a provider event', () => {
  it('suppresses the contact of a hard bounce, and says so in the feed', async () => {
    const { contactId, emailId } = await send('bounce+one@simulator.amazonses.com');
    await eventually(types, (found) => found.includes('contact.unsubscribed'));
    expect((await sender.get(`/contacts/${contactId}`)).body.subscribed).toBe(false);
    const { body } = await sender.get('/activity?types=email.bounced,contact.unsubscribed');
    expect(body.data).toEqual([
      expect.objectContaining({
        type: 'contact.unsubscribed',
        contactId,
        metadata: { reason: 'bounce', emailId },
      }),
      expect.objectContaining({
        type: 'email.bounced',
        contactId,
        metadata: expect.objectContaining({ bounceType: 'Permanent' }),
      }),
    ]);
    const stats = await eventually(
      () => sender.get('/activity/stats'),
      ({ body }) => body.bounced === 1,
    );
    expect(stats.body).toMatchObject({ sent: 1, delivered: 0, bounced: 1, complained: 0 });
  });

  it('suppresses the contact of a complaint, and lifts that when the contact subscribes again', async () => {
    const { contactId } = await send('complaint@simulator.amazonses.com');
    await eventually(types, (found) => found.length === 4);
    const again = await sender.patch(`/contacts/${contactId}`, { subscribed: true });
    expect(again.body.subscribed).toBe(true);
    // The figures lag a moment behind the feed.
    await eventually(
      () => sender.get('/activity/stats'),
      ({ body }) => body.sent === 1 && body.delivered === 1 && body.complained === 1,
    );
  });

  it('counts opens and clicks once per email, however often they occur', async () => {
    const { emailId } = await send('clicked@simulator.amazonses.com');
    await eventually(types, (found) => found.includes('email.clicked'));
    const { id } = await messageOf(stack.ses, emailId);
    for (const type of ['open', 'open', 'click']) {
      await reportEvent(stack.ses, id, {
        type,
        ...(type === 'click' ? { link: 'https://example.com/other' } : {}),
      });
    }
    await eventually(types, (found) => found.length === 7);
    const stats = await eventually(
      () => sender.get('/activity/stats'),
      ({ body }) => body.clicked === 1 && body.delivered === 1 && body.sent === 1,
    );
    expect(stats.body).toMatchObject({
      totalEvents: 7,
      sent: 1,
      delivered: 1,
      opened: 1,
      clicked: 1,
      openRate: 100,
      clickRate: 100,
    });
    const clicks = await sender.get('/events?name=email.click');
    expect(
      clicks.body.data.map((event: { data: { link: string; isFirst: boolean } }) => [
        event.data.link,
        event.data.isFirst,
      ]),
    ).toEqual([
      ['https://example.com/other', false],
      ['https://example.com/offer', true],
    ]);
    const [click] = clicks.body.data;
    const contact = await sender.get(`/contacts/${click.contactId}`);
    expect(click.contactEmail).toBe(contact.body.email);
    const names = await sender.get('/events/names');
    expect(names.body.names).toEqual(['email.click', 'email.delivery', 'email.open', 'email.sent']);
    expect((await sender.get('/activity/types')).body.types).toEqual([
      'email.clicked',
      'email.delivered',
      'email.opened',
      'email.sent',
    ]);
    expect((await sender.get('/activity/recent-count?minutes=60')).body).toEqual({ count: 7, minutes: 60 });
    const figures = await sender.get('/events/stats');
    expect(figures.body).toMatchObject({
      total: 7,
      byName: expect.arrayContaining([{ name: 'email.open', count: 3 }]),
    });
    expect(figures.body.timeseries.at(-1).count + (figures.body.timeseries.at(-2)?.count ?? 0)).toBe(7);
  });

  it('changes nothing for a transient bounce', async () => {
    const { contactId, emailId } = await send('reader@example.com');
    await eventually(types, (found) => found.includes('email.delivered'));
    const { id } = await messageOf(stack.ses, emailId);
    await reportEvent(stack.ses, id, { type: 'bounce', bounceType: 'Transient' });
    await eventually(types, (found) => found.includes('email.bounced'));
    expect((await sender.get(`/contacts/${contactId}`)).body.subscribed).toBe(true);
    expect((await sender.get('/activity/stats')).body).toMatchObject({ sent: 1, delivered: 1, bounced: 0 });
  });
});

describe('a message at the webhook', () => {
  const post = (message: unknown) =>
    fetch(`${stack.url}/webhooks/sns`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain; charset=UTF-8' },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    });
  const bounceOf = (emailId: string) =>
    JSON.stringify({
      eventType: 'Bounce',
      mail: { timestamp: new Date().toISOString(), messageId: 'm', tags: { emailId: [emailId] } },
      bounce: { bounceType: 'Permanent', timestamp: new Date().toISOString() },
    });

  it('is refused when it is forged, of another topic, or no message at all, and changes nothing', async () => {
    const { contactId, emailId } = await send('victim@example.com');
    await eventually(types, (found) => found.includes('email.delivered'));
    const signer = await createSnsSigner();
    const genuineCertificate = (await (await fetch(`${stack.ses.url}/api/events`)).json()) as object;
    expect(genuineCertificate).toBeDefined();
    const common = {
      Type: 'Notification',
      MessageId: randomUUID(),
      TopicArn: testTopic,
      Message: bounceOf(emailId),
      Timestamp: new Date().toISOString(),
      SigningCertURL: `${stack.ses.url}/sns/SimpleNotificationService-${signer.certificateId}.pem`,
    } as const;
    const forged = signer.sign(common);
    const before = await refusals();
    const statuses = [
      (await post(forged)).status,
      (await post({ ...forged, TopicArn: 'arn:aws:sns:us-east-1:000000000000:other' })).status,
      (await post({ ...forged, SigningCertURL: 'https://sns.us-east-1.amazonaws.com.evil.example/x.pem' }))
        .status,
      (await post({ ...forged, Signature: 'AAAA' })).status,
      (await post('{}')).status,
      (await post('not json')).status,
    ];
    // 503 if the certificate can't be fetched: a genuine sender retries.
    expect(statuses).toEqual([503, 403, 403, 503, 403, 403]);
    // Also those that are no messages: raw message delivery sends them. Other test files share the API.
    expect(await refusals()).toBeGreaterThanOrEqual(before + statuses.length);
    expect((await sender.get(`/contacts/${contactId}`)).body.subscribed).toBe(true);
  });
});
