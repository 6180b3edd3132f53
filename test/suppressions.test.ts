import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../core/pagination/cursor.ts';
import { eventually } from './setup/eventually.ts';
import { readInbox } from './setup/inbox.ts';
import { readContact, readEmail } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, type TestSubscriber, visitPage } from './setup/subscribers.ts';
import { createTemplate } from './setup/templates.ts';

const suppressedReason = 'the contact is suppressed after a bounce or complaint';

const stack = useSharedProduct();
const sender = useSender(stack);

const contactAt = (email: string) => readContact(stack.em(), sender.projectId, email);

/** Puts the contact into the state that a hard bounce or a complaint leaves. */
async function suppress(reader: TestSubscriber, reason: 'bounce' | 'complaint', at = new Date()) {
  await stack.sql(
    `update contacts set subscribed = false, suppression_reason = $2, suppressed_at = $3, suppressed_email_id = $4
     where id = $1`,
    [reader.contactId, reason, at, reader.emailId],
  );
}

async function suppressed(reason: 'bounce' | 'complaint' = 'bounce', at?: Date): Promise<TestSubscriber> {
  const reader = await createTestSubscriber(stack, sender);
  await suppress(reader, reason, at);
  return reader;
}

/** Sends an email and waits for its outcome. */
async function send(to: string, type: 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS') {
  const template = await createTemplate(sender, { subject: type, type });
  const sent = await sender.post('/v1/send', { to, template });
  const emailId: string = sent.body.data.emails[0].email;
  const settled = await eventually(
    () => readEmail(stack.em(), emailId),
    (email) => email !== undefined && !['QUEUED', 'SENDING'].includes(email.status),
  );
  return { emailId, status: settled?.status, reason: settled?.reason, sentAt: settled?.sentAt };
}

describe('a suppressed contact', () => {
  it.each(['bounce', 'complaint'] as const)(
    'comes from a real %s and is listed with its email',
    async (reason) => {
      const to = `${reason}@simulator.amazonses.com`;
      await sender.post('/contacts', { email: to });
      const { emailId } = await send(to, 'MARKETING');
      const { body } = await eventually(
        () => sender.get('/suppressions'),
        (answer) => answer.body.data?.length > 0,
      );
      expect(body).toEqual({
        data: [
          {
            email: to,
            contactId: (await contactAt(to))?.id,
            reason,
            suppressedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
            emailId,
          },
        ],
        cursor: null,
        hasMore: false,
        total: 1,
        totalAccuracy: 'exact',
      });
      expect(await contactAt(to)).toMatchObject({ subscribed: false, snoozedUntil: null });
      const { contactId } = body.data[0];
      expect((await sender.get(`/contacts/${contactId}`)).body.suppressionReason).toBe(reason);
    },
  );

  it('gets no marketing email; it is recorded and shown as withheld, and not counted', async () => {
    const reader = await suppressed('complaint');
    for (const type of ['MARKETING', 'HEADLESS'] as const) {
      const held = await send(reader.email, type);
      expect(held).toMatchObject({ status: 'SUPPRESSED', reason: suppressedReason, sentAt: null });
      const feed = await eventually(
        () => sender.get(`/activity?contactId=${reader.contactId}`),
        ({ body }) => body.data?.[0]?.metadata.emailId === held.emailId,
      );
      expect(feed.body.data[0]).toMatchObject({
        type: 'email.bounced',
        contactEmail: reader.email,
        metadata: { status: 'SUPPRESSED', bounceType: 'Suppressed', reason: suppressedReason },
      });
    }
    expect((await readInbox(stack.ses, { to: reader.email })).total).toBe(0);
    expect((await sender.get('/activity/stats')).body).toMatchObject({ sent: 0, bounced: 0, totalEvents: 2 });
    expect((await sender.get('/events')).body.data).toEqual([]);
    const stats = await stack.sql('select name from contact_event_stats where contact_id = $1', [
      reader.contactId,
    ]);
    expect(stats).toEqual([]);
  });

  it('gets transactional email, unless the project withholds that too', async () => {
    const reader = await suppressed();
    expect((await send(reader.email, 'TRANSACTIONAL')).sentAt).toBeInstanceOf(Date);
    await stack.sql('update projects set suppress_transactional = true where id = $1', [sender.projectId]);
    expect(await send(reader.email, 'TRANSACTIONAL')).toMatchObject({
      status: 'SUPPRESSED',
      reason: suppressedReason,
      sentAt: null,
    });
    const unsubscribed = await createTestSubscriber(stack, sender, { subscribed: false });
    expect((await send(unsubscribed.email, 'TRANSACTIONAL')).sentAt).toBeInstanceOf(Date);
  });

  const opening: [string, (reader: TestSubscriber) => Promise<unknown>][] = [
    ['PATCH /contacts/:id', (reader) => sender.patch(`/contacts/${reader.contactId}`, { subscribed: true })],
    ['POST /contacts', (reader) => sender.post('/contacts', { email: reader.email, subscribed: true })],
    [
      'POST /v1/track',
      (reader) => sender.post('/v1/track', { email: reader.email, event: 'back', subscribed: true }),
    ],
    [
      'POST /v1/send',
      (reader) =>
        sender.post('/v1/send', {
          to: reader.email,
          from: `news@${sender.domain}`,
          subject: 'Hi',
          body: '<p>Hi</p>',
          subscribed: true,
        }),
    ],
    [
      'bulk subscribe',
      (reader) => sender.post('/contacts/bulk-subscribe', { contactIds: [reader.contactId] }),
    ],
    ['an import', (reader) => importCsv(`email,subscribed\n${reader.email},true\n`)],
    ['the subscribe page', (reader) => visitPage(`${stack.url}${reader.path('subscribe')}`, '')],
    [
      'the page of preferences',
      (reader) => visitPage(`${stack.url}${reader.path('manage')}`, { action: 'subscribe' }),
    ],
  ];

  async function importCsv(csv: string): Promise<void> {
    const form = new FormData();
    form.append('file', new Blob([csv], { type: 'text/csv' }), 'contacts.csv');
    await fetch(`${stack.url}/contacts/import`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${sender.secretKey}` },
      body: form,
    });
  }

  it.each(opening)('is lifted by subscribing through %s', async (_, subscribe) => {
    const reader = await suppressed();
    await subscribe(reader);
    const contact = await eventually(
      () => contactAt(reader.email),
      (found) => found?.subscribed === true,
    );
    expect(contact).toMatchObject({ suppressionReason: null, suppressedAt: null, suppressedEmailId: null });
    expect((await sender.get('/suppressions')).body).toMatchObject({ data: [], total: 0 });
    expect((await send(reader.email, 'MARKETING')).sentAt).toBeInstanceOf(Date);
  });

  it('is not lifted by calls that leave the subscription out, or unsubscribe', async () => {
    const reader = await suppressed();
    const { email, contactId } = reader;
    const before = (await sender.get('/suppressions')).body;
    await sender.patch(`/contacts/${contactId}`, { data: { plan: 'pro' } });
    await sender.patch(`/contacts/${contactId}`, { subscribed: false });
    await sender.post('/v1/track', { email, event: 'visit' });
    await sender.post('/v1/track', { email, event: 'visit', subscribed: false });
    await visitPage(`${stack.url}${reader.path('unsubscribe')}`, '');
    await visitPage(`${stack.url}${reader.path('manage')}`, { snooze: '2-weeks' });
    expect((await sender.get('/suppressions')).body).toEqual(before);
    expect(before.data).toHaveLength(1);
  });
});

describe('DELETE /suppressions/:email', () => {
  it('lifts the suppression and leaves the contact unsubscribed', async () => {
    const reader = await suppressed();
    await stack.sql('update projects set suppress_transactional = true where id = $1', [sender.projectId]);
    const path = `/suppressions/${encodeURIComponent(` ${reader.email.toUpperCase()}`)}`;
    const lifted = await sender.delete(path);
    expect(lifted).toMatchObject({ status: 204, body: undefined });
    expect(await contactAt(reader.email)).toMatchObject({ subscribed: false, suppressionReason: null });
    expect((await send(reader.email, 'TRANSACTIONAL')).sentAt).toBeInstanceOf(Date);
    expect(await send(reader.email, 'MARKETING')).toMatchObject({
      status: 'SUPPRESSED',
      reason: 'the contact is not subscribed',
    });
    expect((await sender.delete(path)).status).toBe(404);
  });

  it('creates a new version of the contact, even if the clock is behind', async () => {
    const { contactId, email } = await suppressed();
    const seen = new Date(Date.now() + 60_000);
    await stack.sql('update contacts set updated_at = $2 where id = $1', [contactId, seen]);
    expect((await sender.delete(`/suppressions/${email}`)).status).toBe(204);
    expect((await contactAt(email))?.updatedAt.getTime()).toBeGreaterThan(seen.getTime());
  });

  it('answers 404 for addresses of other projects and unsuppressed ones, and refuses a malformed one', async () => {
    const reader = await suppressed();
    const other = await createTestSender(stack.url);
    expect((await other.delete(`/suppressions/${reader.email}`)).status).toBe(404);
    expect((await other.get('/suppressions')).body).toMatchObject({ data: [], total: 0 });
    const free = await createTestSubscriber(stack, sender);
    expect((await sender.delete(`/suppressions/${free.email}`)).status).toBe(404);
    expect((await sender.delete('/suppressions/nobody')).status).toBe(422);
    expect((await sender.get('/suppressions')).body.data).toHaveLength(1);
  });
});

describe('GET /suppressions', () => {
  it('pages through both reasons, latest first, each once, even with equal times', async () => {
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    const readers: { email: string; reason: string; at: number }[] = [];
    for (let i = 0; i < 13; i += 1) {
      const reason = i % 3 === 0 ? 'complaint' : 'bounce';
      const at = start + Math.floor(i / 4) * 1_000;
      readers.push({ email: (await suppressed(reason, new Date(at))).email, reason, at });
    }
    for (const [query, expected] of [
      ['', readers],
      ['reason=bounce&', readers.filter(({ reason }) => reason === 'bounce')],
      ['reason=complaint&', readers.filter(({ reason }) => reason === 'complaint')],
    ] as const) {
      const seen: { email: string; reason: string; at: number }[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body, status } = await sender.get(`/suppressions?${query}limit=3${cursor}`);
        expect(status).toBe(200);
        expect(body.total).toBe(cursor === '' ? expected.length : 0);
        expect(body.hasMore).toBe(body.cursor !== null);
        for (const { email, reason, suppressedAt } of body.data) {
          seen.push({ email, reason, at: Date.parse(suppressedAt) });
        }
        cursor = body.cursor === null ? null : `&cursor=${body.cursor}`;
      }
      expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).toSorted((a, b) => b - a));
      const byEmail = (a: { email: string }, b: { email: string }) => a.email.localeCompare(b.email);
      expect(seen.toSorted(byEmail)).toEqual(expected.toSorted(byEmail));
    }
  });

  it('finds addresses by prefix, in order, filtered by reason', async () => {
    const reader = await suppressed('complaint');
    const start = reader.email.slice(0, 5);
    const names = ['b', 'a_c', 'aXc', 'a%d', '~'].map((name) => `${start}${name}@example.com`.toLowerCase());
    for (const [i, email] of names.entries()) {
      await sender.post('/contacts', { email });
      const reason = i < 3 ? 'bounce' : 'complaint';
      await stack.sql(
        `update contacts set suppression_reason = $3, suppressed_at = now() where project_id = $1 and email = $2`,
        [sender.projectId, email, reason],
      );
    }
    const other = await createTestSender(stack.url);
    const search = async (query: string, asking = sender) => {
      const found: string[] = [];
      let page = await asking.get(`/suppressions?limit=2&${query}`);
      const { total } = page.body;
      for (; ; page = await asking.get(`/suppressions?limit=2&${query}&cursor=${page.body.cursor}`)) {
        found.push(...page.body.data.map(({ email }: { email: string }) => email));
        if (page.body.cursor === null) return { found, total };
      }
    };
    const expected = (...emails: string[]) => ({ found: emails.toSorted(), total: emails.length });
    expect(await search(`search=${start.toUpperCase()}`)).toEqual(expected(reader.email, ...names));
    expect(await search(`search=${start}a`)).toEqual(
      expected(...names.filter((email) => email.startsWith(`${start}a`))),
    );
    const literal = names.filter((email) => email.startsWith(`${start}a_`));
    expect(await search(`search=${start}a_`)).toEqual(expected(...literal));
    expect(await search(`search=${start}a%25`)).toEqual(expected(`${start}a%d@example.com`));
    expect(await search(`search=${start}a&reason=bounce`)).toEqual(expected(...names.slice(1, 3)));
    expect((await search('search=%20')).total).toBe(6);
    expect(await search(`search=${start}`, other)).toEqual({ found: [], total: 0 });
    expect((await sender.get(`/suppressions?search=${'a'.repeat(255)}`)).status).toBe(422);
  });

  it('refuses an unknown reason with 422 and a cursor of another list with 400', async () => {
    const unknown = await sender.get('/suppressions?reason=whim');
    expect(unknown.status).toBe(422);
    expect(unknown.body.error.errors[0]).toMatchObject({ field: 'reason', received: 'whim' });
    for (const i of [1, 2]) await sender.post('/contacts', { email: `reader-${i}@example.com` });
    const { body } = await sender.get('/contacts?limit=1');
    expect((await sender.get(`/suppressions?cursor=${body.cursor}`)).status).toBe(400);
    expect((await sender.get('/suppressions?cursor=nonsense')).status).toBe(400);
    const yearZero = encodeCursor(['suppressedAt', '0000-01-01T00:00:00.000Z', sender.projectId, 'a']);
    expect((await sender.get(`/suppressions?cursor=${yearZero}`)).status).toBe(400);
  });
});
