import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { createSnsSigner } from '../local/ses/events/sns-signer.ts';
import { eventually } from './setup/eventually.ts';
import { expireEverything } from './setup/expire-everything.ts';
import {
  metric,
  reader,
  run,
  sender,
  stack,
  stored,
  support,
  useInboundStage,
} from './setup/inbound-stage.ts';
import { allRead, deliver, receivedActivity } from './setup/incoming.ts';
import { testTopic } from './setup/product.ts';
import { useSharedProduct } from './setup/shared-product.ts';

useInboundStage(useSharedProduct());

describe('the notification of an email', () => {
  const notification = (
    changes: { mail?: object; receipt?: object; action?: object; content?: string } = {},
  ) =>
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
      receipt: {
        recipients: [support],
        action: { type: 'SNS', encoding: 'UTF8', ...changes.action },
        ...changes.receipt,
      },
      content: changes.content ?? `From: ${reader}\r\n\r\nHello`,
    });
  const accept = (id: string, message: string) =>
    stack.product.services.inbound.accept({ id, publishedAt: new Date() }, message);

  it('counts once, however often it arrives and however often SES announces the email', async () => {
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

  it('is answered as soon as its first delivery, and waits for no other email', async () => {
    const [first, other] = [randomUUID(), randomUUID()];
    const messages = ['first', 'other'].map((name) =>
      notification({ mail: { messageId: `${name}-${first}` } }),
    );
    const [message = '', otherMessage = ''] = messages;
    const block = async (id: string) => {
      const released = Promise.withResolvers<void>();
      const blocked = Promise.withResolvers<void>();
      const done = stack.em().transactional(async (em) => {
        const today = 'insert into handled_notifications (id, published_on) values ($1, $2)';
        await sql(em, today, [id, new Date().toISOString().slice(0, 10)]);
        blocked.resolve();
        await released.promise;
        await sql(em, 'delete from handled_notifications where id = $1', [id]);
      });
      await blocked.promise;
      return async () => {
        released.resolve();
        await done;
      };
    };
    const [unblockFirst, unblockOther] = [await block(first), await block(other)];
    const accepted = accept(first, message);
    const behind = accept(other, otherMessage);
    const repeated = accept(first, message);
    await unblockFirst();
    expect(await Promise.all([accepted, repeated])).toEqual(['applied', 'duplicate']);
    await unblockOther();
    expect(await behind).toBe('applied');
    await allRead(stack);
  });

  it('of another receipt rule adds the recipients of that rule', async () => {
    const sales = `sales@${sender.domain}`;
    const ofRules = [support, sales].map((recipient) =>
      notification({ receipt: { recipients: [recipient] } }),
    );
    const outcomes: unknown[] = [];
    for (const message of [...ofRules, ...ofRules]) outcomes.push(await accept(randomUUID(), message));
    expect(outcomes).toEqual(['applied', 'applied', 'duplicate', 'duplicate']);
    await allRead(stack);
    expect(await stored()).toMatchObject([{ recipients: [support, sales] }]);
    await receivedActivity(sender, 1);
  });

  it('is refused if it names a bucket that is not configured', async () => {
    const object = { action: { type: 'S3', bucketName: 'of-somebody-else', objectKey: 'x' } };
    await expect(accept(randomUUID(), notification(object))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await stored()).toEqual([]);
  });

  it('of a missing object waits for it, and nothing is lost', async () => {
    const object = { action: { type: 'S3', bucketName: 'local-inbound', objectKey: '0100-not-there-yet' } };
    expect(await accept(randomUUID(), notification(object))).toBe('applied');
    const [pending] = await stored();
    expect(pending).toMatchObject({ status: 'PENDING', object_key: '0100-not-there-yet' });
    // The object is created later, when the test lets the notification continue.
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
    // The certificate is not the local SES's and can't be fetched.
    expect(await post(forged)).toBe(503);
    expect(await stored()).toEqual([]);
  });

  it('is parsed whatever it contains', async () => {
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

describe('the stored part of an email', () => {
  it('is counted by month; beyond the limit nothing is stored', async () => {
    const limits = `/users/@me/projects/${sender.projectId}/billing-limits`;
    expect((await sender.put(limits, { inbound: 2 })).body.inbound).toBe(2);
    const before = await metric('over_limit');
    for (let n = 0; n < 3; n += 1) await deliver(stack, { from: reader, to: support, subject: `${n}` });
    await eventually(() => metric('over_limit'), before + 1);
    await receivedActivity(sender, 2);
    expect(await stored()).toHaveLength(2);
    const consumption = `/users/@me/projects/${sender.projectId}/billing-consumption`;
    expect((await sender.get(consumption)).body.categories).toMatchObject({
      inbound: { used: 2, limit: 2, remaining: 0 },
      transactional: { used: 0 },
    });
  });

  it('is deleted after its retention, except for sender, subject and time', async () => {
    await deliver(stack, { from: reader, to: support, subject: 'Old', text: 'x', html: '<p>x</p>' });
    const [row] = await receivedActivity(sender, 1);
    await run(`update inbound_emails set created_at = now() - interval '8 days' where project_id = $1`, [
      sender.projectId,
    ]);
    await expireEverything(stack.em(), 7);
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).body).toMatchObject({
      subject: 'Old',
      hasContent: false,
      text: null,
      html: null,
      attachments: [],
    });
  });

  it('is deleted with its contact', async () => {
    await deliver(stack, { from: reader, to: support, text: 'x' });
    const [row] = await receivedActivity(sender, 1);
    expect((await sender.delete(`/contacts/${row?.contactId}`)).status).toBe(204);
    expect((await sender.get(`/inbound/${row?.metadata.inboundId}`)).status).toBe(404);
    expect(await stored()).toEqual([]);
  });
});
