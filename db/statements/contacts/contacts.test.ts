import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, trackInput, upsertInput } from '../../../test/setup/inputs.ts';
import { findWrongCounts, readContact, readCounts, readEmail } from '../../../test/setup/read-database.ts';
import { brokenConstraint } from '../../database-errors.ts';
import { Contact } from '../../entities/contact.ts';
import { projectEm } from '../../entities/project-em.ts';
import { query } from '../../sql.ts';
import { readConsumption } from '../billing/read-consumption.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { trackEvents } from '../events/track-events.ts';
import { erasedReason } from './contact-belongings-sql.ts';
import { contactColumns, contactRow } from './contact-row.ts';
import { deleteContacts } from './delete-contacts.ts';
import { type PatchContactInput, patchContact, upsertContact } from './patch-contact.ts';
import { subscribeContacts } from './subscribe-contacts.ts';

const database = useTestDatabase();
const { em, sql } = database;
let projectId: string;
beforeEach(() => {
  projectId = randomUUID();
});

const create = async (email: string, rest: Parameters<typeof upsertInput>[2] = {}) =>
  (await upsertContact(em(), upsertInput(projectId, email, rest))).id;

const patch = (id: string, rest: Partial<PatchContactInput>) =>
  patchContact(em(), {
    projectId,
    id,
    email: undefined,
    subscribed: undefined,
    patch: {},
    occurredAt: new Date(),
    ...rest,
  });

async function findContact(id: string, of = projectId) {
  const text = `select ${contactColumns} from contacts where project_id = $1 and id = $2`;
  const [row] = await query(em(), contactRow, text, [of, id]);
  return row;
}

describe('an upsert', () => {
  it('creates a subscribed contact once and patches it from then on', async () => {
    const first = upsertInput(projectId, 'a@example.com', { patch: { a: 1, b: null } });
    expect(await upsertContact(em(), first)).toEqual({ id: first.contactId, isNew: true });
    const second = upsertInput(projectId, 'a@example.com', { patch: { b: 2 }, subscribed: false });
    expect(await upsertContact(em(), second)).toEqual({ id: first.contactId, isNew: false });
    const contact = await readContact(em(), projectId, 'a@example.com');
    expect(contact).toMatchObject({ subscribed: false, updatedAt: second.occurredAt });
    expect(contact?.data).toEqual({ a: 1, b: 2 });
    expect(await readCounts(em(), first.contactId)).toEqual({ 'contact.unsubscribed': 1 });
  });
});

it('every change moves `updatedAt` forward, whatever the clock of its process', async () => {
  const occurredAt = new Date();
  const id = await create('a@example.com', { occurredAt });
  const behind = new Date(occurredAt.getTime() - 5_000);
  const changes = [
    () => upsertContact(em(), upsertInput(projectId, 'a@example.com', { patch: { a: 1 }, occurredAt })),
    () =>
      upsertContact(em(), upsertInput(projectId, 'a@example.com', { patch: { a: 2 }, occurredAt: behind })),
    () => patch(id, { patch: { a: 3 }, occurredAt: behind }),
    () => patch(id, { subscribed: false, occurredAt }),
    () => subscribeContacts(em(), projectId, [id], true, behind),
  ];
  const seen = [occurredAt.getTime()];
  for (const change of changes) {
    await change();
    seen.push((await findContact(id))?.updatedAt.getTime() ?? 0);
  }
  expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
});

describe('a patch', () => {
  it('changes only what it names, journals a change of the subscription, and returns the contact', async () => {
    const id = await create('a@example.com', { patch: { a: 1, b: 1 } });
    const occurredAt = new Date(Date.now() + 1_000);
    const answer = await patch(id, {
      ...{ email: 'b@example.com', subscribed: false, patch: { b: null, c: [1] }, occurredAt },
    });
    expect(answer).toEqual({ ...(await findContact(id)) });
    expect(answer).toMatchObject({ id, email: 'b@example.com', subscribed: false, updatedAt: occurredAt });
    expect(answer?.data).toEqual({ a: 1, c: [1] });
    expect(await readCounts(em(), id)).toEqual({ 'contact.unsubscribed': 1 });
    expect(await findWrongCounts(em(), projectId)).toEqual([]);
  });

  it('does not write an unchanged contact, but returns it', async () => {
    const id = await create('a@example.com', { patch: { a: 1 } });
    const before = await readContact(em(), projectId, 'a@example.com');
    const changes = [{}, { email: 'a@example.com', subscribed: true, patch: { a: 1, never: null } }];
    for (const change of changes) expect(await patch(id, change)).toEqual(await findContact(id));
    expect(await readContact(em(), projectId, 'a@example.com')).toEqual(before);
  });

  it('ends a snooze and lifts a suppression', async () => {
    const id = await create('a@example.com', { subscribed: false });
    await sql(`update contacts set snoozed_until = now(), suppression_reason = 'bounce' where id = $1`, [id]);
    expect(await patch(id, { patch: { a: 1 } })).toMatchObject({ snoozedUntil: expect.any(Date) });
    expect(await patch(id, { subscribed: false })).toMatchObject({
      snoozedUntil: null,
      suppressionReason: 'bounce',
    });
    expect(await patch(id, { subscribed: true })).toMatchObject({
      subscribed: true,
      suppressionReason: null,
    });
    expect(await readCounts(em(), id)).toEqual({ 'contact.subscribed': 1 });
  });

  it('is refused when another contact has the address, or the data grows beyond 64 KB', async () => {
    const id = await create('a@example.com', { patch: { a: 'x'.repeat(60_000) } });
    await create('b@example.com');
    const failures = [patch(id, { email: 'b@example.com' }), patch(id, { patch: { b: 'x'.repeat(6_000) } })];
    const constraints = await Promise.all(failures.map((failure) => failure.catch(brokenConstraint)));
    expect(constraints).toEqual(['contacts_project_email', 'contacts_data_size']);
    expect(await findContact(id)).toMatchObject({ email: 'a@example.com' });
  });

  it('does not change a contact of another project', async () => {
    const id = await create('a@example.com');
    expect(await patch(id, { projectId: randomUUID(), patch: { a: 1 } })).toBeUndefined();
    expect((await findContact(id))?.data).toEqual({});
  });
});

describe('a deleted contact', () => {
  it('loses its statistics; its emails stay without address and subject, and queued ones are canceled', async () => {
    const [[queued, sent] = []] = await acceptEmails(em(), [
      acceptInput(projectId, ['a@example.com', 'a@example.com'], { subscribed: true }),
    ]);
    const [[other] = []] = await acceptEmails(em(), [acceptInput(projectId, ['b@example.com'])]);
    await trackEvents(em(), [trackInput(projectId, 'a@example.com'), trackInput(projectId, 'b@example.com')]);
    await sql(`update emails set status = 'SENT', to_name = 'Ann', subject = 'Hello Ann' where id = $1`, [
      sent?.emailId,
    ]);
    const id = queued?.contactId ?? '';

    expect(await deleteContacts(em(), randomUUID(), [id])).toEqual([]);
    expect(await readEmail(em(), queued?.emailId ?? '')).toMatchObject({ status: 'QUEUED', contactId: id });
    expect(await deleteContacts(em(), projectId, [id])).toEqual([id]);
    expect(await deleteContacts(em(), projectId, [id])).toEqual([]);
    expect(await findContact(id)).toBeUndefined();
    expect(await readCounts(em(), id)).toEqual({});
    const erased = { contactId: null, toEmail: '', toName: null, subject: null };
    expect(await readEmail(em(), queued?.emailId ?? '')).toMatchObject({ ...erased, status: 'CANCELLED' });
    expect(await readEmail(em(), sent?.emailId ?? '')).toMatchObject({
      ...erased,
      status: 'SENT',
      reason: null,
    });
    // Canceled emails use no quota.
    expect((await readConsumption(em(), projectId)).used.transactional).toBe(2);
    expect(await readEmail(em(), other?.emailId ?? '')).toMatchObject({
      status: 'QUEUED',
      toEmail: 'b@example.com',
    });
    expect(await readCounts(em(), other?.contactId ?? '')).toEqual({ signed_up: 1 });
  });
});

it("does not leave its address in the provider's answers about its emails", async () => {
  const statuses = ['QUEUED', 'FAILED', 'UNKNOWN', 'SUPPRESSED', 'CANCELLED'];
  const [emails = []] = await acceptEmails(em(), [
    acceptInput(
      projectId,
      statuses.map(() => 'a@example.com'),
    ),
  ]);
  await sql(
    `update emails e set status = u.status,
       reason = case when u.status in ('SUPPRESSED', 'CANCELLED') then 'ours' else '550 <a@example.com> is unknown' end
     from unnest($1::uuid[], $2::text[]) u (id, status) where e.id = u.id`,
    [emails.map(({ emailId }) => emailId), statuses],
  );
  await deleteContacts(em(), projectId, [emails[0]?.contactId ?? '']);
  const reasons = await Promise.all(
    emails.map(async ({ emailId }) => (await readEmail(em(), emailId))?.reason),
  );
  expect(reasons).toEqual([erasedReason, erasedReason, erasedReason, 'ours', 'ours']);
});

describe('email addresses by id', () => {
  it('leave out contacts of other projects', async () => {
    const id = await create('a@example.com');
    const emailsOf = (project: string) =>
      projectEm(database.orm, project).getRepository(Contact).findEmails([id, randomUUID()]);
    expect(await emailsOf(projectId)).toEqual(new Map([[id, 'a@example.com']]));
    expect(await emailsOf(randomUUID())).toEqual(new Map());
    expect(await findContact(id, randomUUID())).toBeUndefined();
  });
});
