import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { keptEmailData } from '../../../core/kept-email-data.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, handOverRecord, providerEvent } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import {
  findWrongCounts,
  readContact,
  readCounts,
  readEmail,
  readEvents,
} from '../../../test/setup/read-database.ts';
import { erasedReason } from '../contacts/contact-belongings-sql.ts';
import { deleteContacts } from '../contacts/delete-contacts.ts';
import { acceptEmails } from './accept-emails.ts';
import { applyProviderEvents } from './apply-provider-events.ts';
import { claimEmails } from './claim-emails.ts';
import { type HandOverRecord, recordHandOvers } from './hand-overs.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

async function acceptOne(address = 'a@example.com', subscribed = true) {
  const [[email] = []] = await acceptEmails(em(), [acceptInput(project.id, [address], { subscribed })]);
  if (email === undefined) throw new Error('The call had a recipient');
  return email;
}

const sent = (emailId: string, rest: Partial<HandOverRecord> = {}) =>
  handOverRecord(emailId, { messageId: 'm-1', subject: 'Hello Ann', ...rest });

describe('email.sent', () => {
  it.each([
    { order: ['record', 'send', 'delivery'] as const },
    { order: ['send', 'record', 'delivery'] as const },
    { order: ['delivery', 'send', 'record'] as const },
    { order: ['delivery', 'record', 'send'] as const },
  ])('is journaled once in the order $order', async ({ order }) => {
    const { emailId } = await acceptOne();
    const token = uuidv7();
    await claimEmails(em(), [emailId], token, 120);
    for (const step of order) {
      if (step === 'record') expect(await recordHandOvers(em(), token, [sent(emailId)])).toBe(1);
      else await applyProviderEvents(em(), [providerEvent(emailId, step, { messageId: 'm-1' })]);
    }
    expect(await readEmail(em(), emailId)).toMatchObject({
      status: 'DELIVERED',
      messageId: 'm-1',
      subject: 'Hello Ann',
      reason: null,
      sentAt: expect.any(Date),
      deliveredAt: expect.any(Date),
    });
    const names = (await readEvents(em(), project.id)).map((event) => event.name);
    expect(names.sort()).toEqual(['email.delivery', 'email.sent']);
    expect(await findWrongCounts(em(), project.id)).toEqual([]);
  });

  it('contains what is known about the email', async () => {
    const { emailId, contactId } = await acceptOne();
    const input = providerEvent(emailId, 'send', { messageId: 'm-1', subject: 'Hello' });
    await applyProviderEvents(em(), [input]);
    expect(await readEvents(em(), project.id)).toMatchObject([
      { id: input.sentEventId, kind: 'emitted', contactId, emailId, occurredAt: input.occurredAt },
    ]);
    expect((await readEvents(em(), project.id))[0]?.data).toEqual({
      emailId,
      messageId: 'm-1',
      subject: 'Hello',
      from: 'sender@example.com',
      recipientDomain: 'example.com',
      sourceType: 'TRANSACTIONAL',
    });
  });
});

it('are journaled for each open and click, marking the first', async () => {
  const { emailId } = await acceptOne();
  for (const kind of ['open', 'click', 'open', 'click'] as const) {
    const link = kind === 'click' ? 'https://example.com/?a=1' : null;
    await applyProviderEvents(em(), [providerEvent(emailId, kind, { link })]);
  }
  const events = (await readEvents(em(), project.id)).filter((event) => event.name !== 'email.sent');
  expect(
    events.map(({ name, data: { opens, clicks, link, isFirst } }) => ({
      name,
      opens,
      clicks,
      link,
      isFirst,
    })),
  ).toEqual([
    { name: 'email.open', opens: 1, isFirst: true },
    { name: 'email.click', clicks: 1, isFirst: true, link: 'https://example.com/?a=1' },
    { name: 'email.open', opens: 2, isFirst: false },
    { name: 'email.click', clicks: 2, isFirst: false, link: 'https://example.com/?a=1' },
  ]);
});

it.each([
  [['open', 'click', 'open'], ['open']],
  [['click', 'open', 'open', 'click'], ['click']],
] as const)('marks which of %j counts as the open, even a click', async (kinds, expected) => {
  const { emailId } = await acceptOne();
  for (const kind of kinds) await applyProviderEvents(em(), [providerEvent(emailId, kind)]);
  const counting = (await readEvents(em(), project.id)).filter((event) => event.data.countsAsOpen === true);
  expect(counting.map(({ name }) => name)).toEqual(expected.map((kind) => `email.${kind}`));
});

describe('a hard bounce or a complaint', () => {
  it('unsubscribes and suppresses the contact, and records why, when and by which email', async () => {
    const { emailId, contactId } = await acceptOne();
    await sql(`update contacts set snoozed_until = now() + interval '1 day' where id = $1`, [contactId]);
    const bounce = providerEvent(emailId, 'bounce');
    await applyProviderEvents(em(), [bounce]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      subscribed: false,
      snoozedUntil: null,
      suppressionReason: 'bounce',
      suppressedAt: bounce.occurredAt,
      suppressedEmailId: emailId,
    });
    const [told] = (await readEvents(em(), project.id)).filter(
      (event) => event.name === 'contact.unsubscribed',
    );
    expect(told).toMatchObject({ id: bounce.unsubscribeEventId, contactId, emailId, campaignId: null });
    expect(told?.data).toEqual({ reason: 'bounce', emailId });
    expect(await readCounts(em(), contactId)).toEqual({
      'email.sent': 1,
      'email.bounce': 1,
      'contact.unsubscribed': 1,
    });
  });

  it.each(['bounce', 'complaint'] as const)(
    'of another address leaves the contact alone: %s',
    async (kind) => {
      const { emailId, contactId } = await acceptOne();
      await sql(`update contacts set email = 'moved@example.com' where id = $1`, [contactId]);
      await applyProviderEvents(em(), [providerEvent(emailId, kind)]);
      expect(await readContact(em(), project.id, 'moved@example.com')).toMatchObject({
        subscribed: true,
        suppressionReason: null,
      });
      expect(await readCounts(em(), contactId)).toEqual({ 'email.sent': 1, [`email.${kind}`]: 1 });
    },
  );

  it('suppresses an unsubscribed contact without an event about its subscription', async () => {
    const { emailId, contactId } = await acceptOne('a@example.com', false);
    await applyProviderEvents(em(), [providerEvent(emailId, 'complaint')]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      suppressionReason: 'complaint',
    });
    expect(await readCounts(em(), contactId)).toEqual({ 'email.sent': 1, 'email.complaint': 1 });
  });

  it('does not suppress a resubscribed contact when the same event is delivered again', async () => {
    const { emailId, contactId } = await acceptOne();
    await applyProviderEvents(em(), [providerEvent(emailId, 'bounce')]);
    await sql(
      `update contacts set subscribed = true, suppression_reason = null, suppressed_at = null,
         suppressed_email_id = null where id = $1`,
      [contactId],
    );
    await applyProviderEvents(em(), [providerEvent(emailId, 'bounce')]);
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      subscribed: true,
      suppressionReason: null,
    });
  });

  it('of several emails of one contact in a batch makes one change of the subscription', async () => {
    const emails = await Promise.all([acceptOne(), acceptOne(), acceptOne()]);
    const kinds = ['bounce', 'complaint', 'bounce'] as const;
    await applyProviderEvents(
      em(),
      emails.map(({ emailId }, index) => providerEvent(emailId, kinds[index] ?? 'bounce')),
    );
    expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({
      suppressionReason: 'complaint',
      suppressedEmailId: emails[1]?.emailId,
    });
    expect(await readCounts(em(), emails[0]?.contactId ?? '')).toEqual({
      'email.sent': 3,
      'email.bounce': 2,
      'email.complaint': 1,
      'contact.unsubscribed': 1,
    });
    expect(await findWrongCounts(em(), project.id)).toEqual([]);
  });

  it('of the address is not missed beside one of the previous address', async () => {
    const before = await acceptOne();
    await sql(`update contacts set email = 'moved@example.com' where id = $1`, [before.contactId]);
    const { emailId, contactId } = await acceptOne('moved@example.com');
    expect(contactId).toBe(before.contactId);
    await applyProviderEvents(em(), [
      providerEvent(before.emailId, 'complaint'),
      providerEvent(emailId, 'bounce'),
    ]);
    expect(await readContact(em(), project.id, 'moved@example.com')).toMatchObject({
      subscribed: false,
      suppressionReason: 'bounce',
      suppressedEmailId: emailId,
    });
  });

  it('of an email whose contact was erased is kept with the email', async () => {
    const { emailId, contactId } = await acceptOne();
    await sql('update emails set contact_id = null where id = $1', [emailId]);
    await applyProviderEvents(em(), [providerEvent(emailId, 'complaint')]);
    expect(await readEmail(em(), emailId)).toMatchObject({ status: 'COMPLAINED' });
    expect(await readCounts(em(), contactId)).toEqual({});
  });
});

it('moves the contact to the time of the report, however late a bounce is reported', async () => {
  const { emailId, contactId } = await acceptOne('a@example.com');
  const read = async () => {
    const [row] = await sql<{ updatedAt: Date; suppressedAt: Date | null }>(
      'select updated_at as "updatedAt", suppressed_at as "suppressedAt" from contacts where id = $1',
      [contactId],
    );
    return row ?? expect.unreachable();
  };
  const before = await read();
  const occurredAt = new Date(Date.now() - 3_600_000);
  await applyProviderEvents(em(), [
    providerEvent(emailId, 'bounce', { bounceType: 'Permanent', occurredAt }),
  ]);
  const after = await read();
  expect(after.suppressedAt).toEqual(occurredAt);
  expect(after.updatedAt.getTime()).toBeGreaterThanOrEqual(before.updatedAt.getTime());
});

it('changes only the journal when a bounce is transient', async () => {
  const { emailId, contactId } = await acceptOne();
  const before = await readEmail(em(), emailId);
  await applyProviderEvents(em(), [providerEvent(emailId, 'bounce', { bounceType: 'Transient' })]);
  expect(await readEmail(em(), emailId)).toEqual(before);
  expect(await readContact(em(), project.id, 'a@example.com')).toMatchObject({ subscribed: true });
  expect(await readCounts(em(), contactId)).toEqual({ 'email.bounce': 1 });
});

it('gives the reason for an email that the provider rejected, unless it was delivered', async () => {
  const { emailId } = await acceptOne();
  await applyProviderEvents(em(), [providerEvent(emailId, 'reject')]);
  expect(await readEmail(em(), emailId)).toMatchObject({
    status: 'FAILED',
    reason: 'rejected by the provider',
    sentAt: null,
  });
  await applyProviderEvents(em(), [providerEvent(emailId, 'delivery')]);
  expect(await readEmail(em(), emailId)).toMatchObject({ status: 'DELIVERED', reason: null });
  await applyProviderEvents(em(), [providerEvent(emailId, 'reject')]);
  expect(await readEmail(em(), emailId)).toMatchObject({ status: 'DELIVERED', reason: null });
});

/** An email that is being handed over while its contact is erased. */
async function claimOfErased() {
  const { emailId, contactId } = await acceptOne();
  const token = uuidv7();
  await claimEmails(em(), [emailId], token, 120);
  await em().transactional((inner) => deleteContacts(inner, project.id, [contactId]));
  return { emailId, token };
}

it('journals nothing personal of an email whose contact was erased', async () => {
  const { emailId, token } = await claimOfErased();
  await recordHandOvers(em(), token, [sent(emailId)]);
  const personal = {
    messageId: 'm-1',
    subject: 'Hello Ann',
    link: 'https://example.com/?ann',
    diagnostic: '550 a@example.com unknown',
  };
  for (const kind of ['send', 'delivery', 'open', 'click', 'bounce', 'complaint'] as const) {
    await applyProviderEvents(em(), [providerEvent(emailId, kind, personal)]);
  }
  const events = await readEvents(em(), project.id);
  expect(events.map(({ name }) => name)).toEqual([
    'email.sent',
    'email.delivery',
    'email.open',
    'email.click',
    'email.bounce',
    'email.complaint',
  ]);
  const allowed = new Set<string>([...keptEmailData, 'from']);
  for (const { contactId: of, data } of events) {
    expect([of, Object.keys(data).filter((key) => !allowed.has(key))]).toEqual([null, []]);
  }
  expect(await readEmail(em(), emailId)).toMatchObject({ status: 'COMPLAINED', subject: null });
});

it('records no answer of the provider about the address of an erased contact', async () => {
  const { emailId, token } = await claimOfErased();
  const refused = sent(emailId, { status: 'FAILED', reason: '550 <a@example.com> is unknown' });
  await recordHandOvers(em(), token, [refused]);
  expect(await readEmail(em(), emailId)).toMatchObject({ status: 'FAILED', reason: erasedReason });
});

describe('notifications', () => {
  it('have outcomes in their order: applied, duplicate or unknown', async () => {
    const [one, two] = await Promise.all([acceptOne('a@example.com'), acceptOne('b@example.com')]);
    const known = providerEvent(one.emailId, 'delivery');
    const unknown = providerEvent(randomUUID(), 'delivery');
    const other = providerEvent(two.emailId, 'open');
    expect(await applyProviderEvents(em(), [other, known])).toEqual(['applied', 'applied']);
    expect(await applyProviderEvents(em(), [unknown, known, providerEvent(two.emailId, 'open')])).toEqual([
      'unknown',
      'duplicate',
      'applied',
    ]);
    expect(await applyProviderEvents(em(), [known, unknown])).toEqual(['duplicate', 'duplicate']);
    expect(await readEmail(em(), two.emailId)).toMatchObject({ opens: 2 });
  });

  it('that arrive in two processes at once are applied by one of them', async () => {
    const emails = await Promise.all(['a', 'b', 'c'].map((name) => acceptOne(`${name}@example.com`)));
    const notifications = emails.map(({ emailId }) => providerEvent(emailId, 'open'));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        applyProviderEvents(em(), index % 2 ? notifications : notifications.toReversed()),
      ),
    );
    expect(answers.flat().filter((outcome) => outcome === 'applied')).toHaveLength(3);
    for (const { emailId } of emails) expect(await readEmail(em(), emailId)).toMatchObject({ opens: 1 });
    expect(await findWrongCounts(em(), project.id)).toEqual([]);
  });
});
