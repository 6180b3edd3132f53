import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { messages } from '../core/messages/messages.ts';
import { snoozeEnd, snoozeLengths } from '../core/snooze.ts';
import { endContactSnooze, endOverdueSnoozes } from '../temporal/activities/contacts/end-snooze.ts';
import { eventually } from './setup/eventually.ts';
import { arrived, reportEvent } from './setup/inbox.ts';
import { findWrongCounts, readContact, readEmail, readEvents } from './setup/read-database.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, type TestSubscriber, visitPage } from './setup/subscribers.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const contactOf = (reader: TestSubscriber) => readContact(stack.em(), sender.projectId, reader.email);
const snooze = (reader: TestSubscriber, length: string) =>
  visitPage(`${stack.url}${reader.path('manage')}`, { snooze: length });
const setSnooze = (reader: TestSubscriber, until: Date) =>
  stack.sql('update contacts set subscribed = false, snoozed_until = $2 where id = $1', [
    reader.contactId,
    until,
  ]);
const journal = async () =>
  (await readEvents(stack.em(), sender.projectId)).map(({ name, kind, data }) => ({ name, kind, data }));
const workflowOf = (reader: TestSubscriber) =>
  stack.product.resources.temporal.workflow.getHandle(`contact-snooze/${reader.contactId}`);

describe('a snooze', () => {
  it.each(snoozeLengths)('of %s unsubscribes until its end and says so', async (length) => {
    const reader = await createTestSubscriber(stack, sender, { data: { locale: 'de' } });
    const before = new Date();
    const page = await snooze(reader, length);
    expect(page.status).toBe(200);
    const contact = await contactOf(reader);
    expect(contact).toMatchObject({ subscribed: false, snoozedUntil: expect.any(Date) });
    const end = contact?.snoozedUntil ?? before;
    expect(end >= snoozeEnd(before, length) && end <= snoozeEnd(new Date(), length)).toBe(true);
    const date = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' }).format(end);
    expect(page.text).toContain(`pausieren bis ${date}.`);
    expect(page.text).toContain(messages.de['manage.saved']);
    expect((await sender.get(`/contacts/${reader.contactId}`)).body).toMatchObject({
      subscribed: false,
      snoozedUntil: end.toISOString(),
    });
  });

  it('is an opt-out of the campaign, once, and an activity each time', async () => {
    const reader = await createTestSubscriber(stack, sender, { campaignId: randomUUID() });
    await snooze(reader, '1-year');
    const first = (await contactOf(reader))?.snoozedUntil?.toISOString();
    await snooze(reader, '2-weeks');
    const second = (await contactOf(reader))?.snoozedUntil?.toISOString();
    const { emailId, campaignId } = reader;
    expect(await journal()).toEqual(
      expect.arrayContaining([
        { name: 'contact.unsubscribed', kind: 'emitted', data: { reason: 'snooze', emailId, campaignId } },
        { name: 'contact.snoozed', kind: 'activity', data: { snoozedUntil: first, emailId, campaignId } },
        { name: 'contact.snoozed', kind: 'activity', data: { snoozedUntil: second, emailId, campaignId } },
        { name: 'email.unsubscribed', kind: 'activity', data: { emailId, campaignId } },
      ]),
    );
    expect(await journal()).toHaveLength(4);
    expect(await readEmail(stack.em(), emailId)).toMatchObject({ unsubscribedAt: expect.any(Date) });
    const counted = await stack.sql(
      `select sum(unsubscribed)::int as count
       from (select campaign_id, unsubscribed from campaign_figures
         union all select campaign_id, unsubscribed from campaign_figure_changes) figures
       where campaign_id = $1`,
      [campaignId],
    );
    expect(counted).toEqual([{ count: 1 }]);
    const feed = await eventually(
      () => sender.get('/activity?types=contact.snoozed'),
      ({ body }) => body.data?.length === 2,
    );
    expect(feed.body.data[0]).toMatchObject({
      contactId: reader.contactId,
      metadata: { snoozedUntil: second },
    });
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });

  it('does not begin for contacts that opted out, bounced or complained', async () => {
    for (const reason of [null, 'bounce', 'complaint']) {
      const reader = await createTestSubscriber(stack, sender);
      await stack.sql(
        `update contacts set subscribed = false, suppression_reason = $2, suppressed_at = now() where id = $1`,
        [reader.contactId, reason],
      );
      const before = await contactOf(reader);
      const page = await snooze(reader, '2-weeks');
      expect(page.text).toContain(`Our emails are not sent to ${reader.email}.`);
      expect(page.text).not.toContain('Your choice has been saved.');
      expect(await contactOf(reader)).toEqual(before);
    }
    expect(await journal()).toEqual([]);
  });

  it('is one workflow that an operator can read, and a second snooze moves its end', async () => {
    const reader = await createTestSubscriber(stack, sender);
    await snooze(reader, '1-year');
    const details = () =>
      workflowOf(reader)
        .describe()
        .catch(() => undefined);
    const running = await eventually(details, (found) => found?.status.name === 'RUNNING');
    expect(running?.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value])).toEqual(
      expect.arrayContaining([
        ['JobKind', 'contact-snooze'],
        ['ContactId', reader.contactId],
      ]),
    );
    expect(await running?.staticSummary()).toBe('Resubscribes a snoozed contact');

    await snooze(reader, '2-weeks');
    // Now its time comes at once, and a third snooze makes the workflow check again.
    await eventually(
      () => stack.sql(`select from outbox where kind = 'contact.snooze'`),
      (rows) => rows.length === 0,
    );
    await setSnooze(reader, new Date(Date.now() + 700));
    await stack.sql(`insert into outbox (id, kind, subject_id) values (uuidv7(), 'contact.snooze', $1)`, [
      reader.contactId,
    ]);
    const back = await eventually(
      () => contactOf(reader),
      (contact) => contact?.subscribed === true,
    );
    expect(back).toMatchObject({ snoozedUntil: null });
    expect((await journal()).at(-1)).toEqual({
      name: 'contact.subscribed',
      kind: 'emitted',
      data: { reason: 'snooze_expired' },
    });
    // The workflow repeats a check whose answer was lost, and finds that the snooze has ended.
    expect(await workflowOf(reader).result()).toMatch(/^(resubscribed|ended)$/);
    const ended = await details();
    expect(ended?.runId).toBe(running?.runId);
  });

  it('can follow one that has ended', async () => {
    const reader = await createTestSubscriber(stack, sender);
    await snooze(reader, '2-weeks');
    await eventually(
      () =>
        workflowOf(reader)
          .describe()
          .catch(() => undefined),
      (found) => found?.status.name === 'RUNNING',
    );
    await visitPage(`${stack.url}${reader.path('manage')}`, { action: 'subscribe' });
    // On a busy machine its first check may come so late that the snooze has ended already.
    await workflowOf(reader)
      .signal('snoozeMoved')
      .catch((error) => expect(error).toBeInstanceOf(WorkflowNotFoundError));
    expect(await workflowOf(reader).result()).toBe('ended');
    await snooze(reader, '1-month');
    await eventually(
      () => workflowOf(reader).describe(),
      (found) => found.status.name === 'RUNNING',
    );
    expect(await contactOf(reader)).toMatchObject({ subscribed: false, snoozedUntil: expect.any(Date) });
  });
});

describe('the end of a snooze', () => {
  const optOuts: [string, (reader: TestSubscriber) => Promise<unknown>, object][] = [
    [
      'opted out through a link',
      (reader) => visitPage(`${stack.url}${reader.path('unsubscribe')}`, ''),
      { subscribed: false },
    ],
    [
      'was unsubscribed through the API',
      (reader) => sender.patch(`/contacts/${reader.contactId}`, { subscribed: false }),
      { subscribed: false },
    ],
    [
      'was unsubscribed by an event',
      (reader) => sender.post('/v1/track', { email: reader.email, event: 'left', subscribed: false }),
      { subscribed: false },
    ],
    [
      'bounced',
      (reader) => providerEvent(reader, 'bounce'),
      { subscribed: false, suppressionReason: 'bounce' },
    ],
    [
      'complained',
      (reader) => providerEvent(reader, 'complaint'),
      { subscribed: false, suppressionReason: 'complaint' },
    ],
  ];

  /** The next email to the contact bounces or is reported as spam. */
  async function providerEvent(reader: TestSubscriber, type: 'bounce' | 'complaint') {
    const body = { to: reader.email, from: `a@${sender.domain}`, subject: 'Hello', body: '<p>Hello</p>' };
    const sent = await sender.post('/v1/send', body);
    const { id } = await arrived(stack.ses, sent);
    await reportEvent(stack.ses, id, { type });
    await eventually(
      () => contactOf(reader),
      (contact) => contact?.suppressionReason === type,
    );
  }

  it.each(optOuts)('does not resubscribe a contact who %s meanwhile', async (_, optOut, expected) => {
    const reader = await createTestSubscriber(stack, sender);
    await snooze(reader, '2-weeks');
    await optOut(reader);
    const names = (await journal()).map((row) => row.name);
    const inAYear = new Date(Date.now() + 366 * 86_400_000);
    expect(await endContactSnooze(stack.em(), reader.contactId, inAYear)).toEqual({ outcome: 'ended' });
    await endOverdueSnoozes(stack.em(), inAYear);
    expect(await contactOf(reader)).toMatchObject({ ...expected, snoozedUntil: null });
    expect((await journal()).map((row) => row.name)).toEqual(names);
  });

  it('comes once, however many runs check at once, and not before its time', async () => {
    const reader = await createTestSubscriber(stack, sender);
    const until = new Date(Date.now() + 3_600_000);
    await setSnooze(reader, until);
    const look = (at: Date) => endContactSnooze(stack.em(), reader.contactId, at);
    expect(await look(new Date(until.getTime() - 1))).toEqual({ outcome: 'waiting', inMs: 1 });
    const looks = await Promise.all(Array.from({ length: 10 }, () => look(until)));
    expect(looks.filter(({ outcome }) => outcome === 'resubscribed')).toHaveLength(1);
    expect(looks.filter(({ outcome }) => outcome === 'ended')).toHaveLength(9);
    expect((await journal()).map((row) => row.name)).toEqual(['contact.subscribed']);
    expect(await contactOf(reader)).toMatchObject({ subscribed: true, snoozedUntil: null });
  });

  it('comes through the sweep if its timer was lost', async () => {
    const lost = await createTestSubscriber(stack, sender);
    const due = await createTestSubscriber(stack, sender);
    const later = await createTestSubscriber(stack, sender);
    const now = new Date();
    await setSnooze(lost, new Date(now.getTime() - 6 * 60_000));
    await setSnooze(due, new Date(now.getTime() - 60_000));
    await setSnooze(later, new Date(now.getTime() + 60_000));
    await endOverdueSnoozes(stack.em(), now);
    expect(await contactOf(lost)).toMatchObject({ subscribed: true, snoozedUntil: null, updatedAt: now });
    const [ended] = await readEvents(stack.em(), sender.projectId);
    expect(ended?.occurredAt).toEqual(now);
    expect(await contactOf(due)).toMatchObject({ subscribed: false });
    expect(await contactOf(later)).toMatchObject({ subscribed: false });
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });
});
