import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { findWrongCounts } from './setup/read-database.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

/** Inserts contacts without a call for each. */
async function addContacts(count: number, subscribed: boolean): Promise<string[]> {
  const rows = await stack.sql<{ id: string }>(
    `insert into contacts (id, project_id, email, subscribed)
     select uuidv7(), $1, 'reader-' || n || '-' || $3 || '@example.com', $3::boolean from generate_series(1, $2::int) n
     returning id`,
    [sender.projectId, count, subscribed],
  );
  return rows.map((row) => row.id);
}

async function run(operation: string, contactIds: string[]) {
  const answer = await sender.post(`/contacts/bulk-${operation}`, { contactIds });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  expect(answer.body).toEqual({ message: expect.any(String), jobId: expect.any(String) });
  const { body } = await eventually(
    () => sender.get(`/contacts/bulk/${answer.body.jobId}`),
    (found) => found.body.finishedAt !== null,
  );
  return body;
}

async function flips(): Promise<Record<string, number>> {
  const rows = await stack.sql<{ name: string; count: number; contacts: number }>(
    `select name, count(*)::int as count, count(distinct contact_id)::int as contacts from events
     where project_id = $1 group by name`,
    [sender.projectId],
  );
  for (const row of rows) expect(row.count, 'an event for each contact').toBe(row.contacts);
  return Object.fromEntries(rows.map((row) => [row.name, row.count]));
}

const subscribedCount = async () => {
  const rows = await stack.sql<{ subscribed: number; others: number }>(
    `select count(*) filter (where subscribed)::int as subscribed, count(*) filter (where not subscribed)::int as others
     from contacts where project_id = $1`,
    [sender.projectId],
  );
  return rows[0];
};

describe('POST /contacts/bulk-subscribe and bulk-unsubscribe', () => {
  it('change only contacts in the other state, journal each change once, and count the others as unchanged', async () => {
    const [inside, outside] = [await addContacts(300, true), await addContacts(150, false)];
    expect(await run('unsubscribe', [...inside, ...outside])).toEqual({
      id: expect.any(String),
      type: 'bulk-unsubscribe',
      state: 'completed',
      progress: 100,
      result: {
        operation: 'unsubscribe',
        totalRequested: 450,
        successCount: 300,
        unchangedCount: 150,
        failureCount: 0,
        errors: [],
      },
      failedReason: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    expect(await subscribedCount()).toEqual({ subscribed: 0, others: 450 });
    expect(await flips()).toEqual({ 'contact.unsubscribed': 300 });
    const back = await run('subscribe', outside);
    expect(back).toMatchObject({ type: 'bulk-subscribe', result: { successCount: 150, unchangedCount: 0 } });
    expect(await subscribedCount()).toEqual({ subscribed: 150, others: 300 });
    expect(await flips()).toEqual({ 'contact.unsubscribed': 300, 'contact.subscribed': 150 });
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });

  it('end a snooze, and subscribing lifts a suppression', async () => {
    const [snoozed = '', bounced = ''] = await addContacts(2, false);
    await stack.sql(`update contacts set snoozed_until = now() + interval '1 day' where id = $1`, [snoozed]);
    await stack.sql(
      `update contacts set suppression_reason = 'bounce', suppressed_at = now() where id = $1`,
      [bounced],
    );
    const state = () =>
      stack.sql(
        'select subscribed, snoozed_until, suppression_reason from contacts where project_id = $1 order by id',
        [sender.projectId],
      );
    const first = await run('unsubscribe', [snoozed, bounced]);
    expect(first.result).toMatchObject({ successCount: 1, unchangedCount: 1 });
    expect(await state()).toEqual([
      { subscribed: false, snoozed_until: null, suppression_reason: null },
      { subscribed: false, snoozed_until: null, suppression_reason: 'bounce' },
    ]);
    expect(await flips()).toEqual({});
    await run('subscribe', [snoozed, bounced]);
    expect(await state()).toEqual([
      { subscribed: true, snoozed_until: null, suppression_reason: null },
      { subscribed: true, snoozed_until: null, suppression_reason: null },
    ]);
  });

  it('count an id that is repeated once, and list unknown and foreign ids as failures', async () => {
    const [id = ''] = await addContacts(1, true);
    const other = await createTestSender(stack.url);
    const { body: foreign } = await other.post('/contacts', { email: 'ada@example.com' });
    const unknown = uuidv7();
    const job = await run('unsubscribe', [id, unknown, id.toUpperCase(), foreign.id, id]);
    expect(job.result).toEqual({
      operation: 'unsubscribe',
      totalRequested: 3,
      successCount: 1,
      unchangedCount: 0,
      failureCount: 2,
      errors: [unknown, foreign.id].map((contactId) => ({ contactId, message: 'Contact not found' })),
    });
    expect((await other.get(`/contacts/${foreign.id}`)).body.subscribed).toBe(true);
  });
});

describe('POST /contacts/bulk-delete', () => {
  it('erases each contact as DELETE /contacts/:id does', async () => {
    const ids = await addContacts(250, true);
    const [kept = ''] = await addContacts(1, false);
    await stack.sql(
      `insert into emails (id, project_id, contact_id, source, to_email, from_email, status)
       select uuidv7(), $1, id, 'TRANSACTIONAL', email, 'x@example.com', status
       from contacts, (values ('QUEUED'), ('SENT')) as t(status) where project_id = $1`,
      [sender.projectId],
    );
    await stack.sql(
      `insert into segment_members (segment_id, contact_id) select uuidv7(), id from contacts where project_id = $1`,
      [sender.projectId],
    );
    await stack.sql(
      `insert into contact_event_stats (contact_id, name, project_id, count, first_at, last_at, last_event_id)
       select id, 'order placed', $1, 1, now(), now(), uuidv7() from contacts where project_id = $1`,
      [sender.projectId],
    );
    const job = await run('delete', [...ids, uuidv7()]);
    expect(job).toMatchObject({
      type: 'bulk-delete',
      result: {
        operation: 'delete',
        totalRequested: 251,
        successCount: 250,
        unchangedCount: 0,
        failureCount: 1,
      },
    });
    const [left] = await stack.sql(
      `select (select array_agg(id) from contacts where project_id = $1) as contacts,
         (select count(*)::int from emails where project_id = $1 and contact_id is null and to_email = ''
           and status in ('CANCELLED', 'SENT')) as emails,
         (select count(*)::int from emails where project_id = $1 and status = 'CANCELLED') as cancelled,
         (select count(*)::int from segment_members where contact_id = any($2::uuid[])) as members,
         (select array_agg(contact_id) from contact_event_stats where project_id = $1) as stats`,
      [sender.projectId, ids],
    );
    expect(left).toEqual({ contacts: [kept], emails: 500, cancelled: 250, members: 0, stats: [kept] });
    expect(await run('delete', [kept])).toMatchObject({ result: { successCount: 1 } });
    expect(await run('delete', [kept])).toMatchObject({ state: 'completed', result: { failureCount: 1 } });
  });
});

it('the list of a bulk operation holds up to 1,000 ids', async () => {
  const most = await run(
    'subscribe',
    Array.from({ length: 1_000 }, () => uuidv7()),
  );
  expect(most.result).toMatchObject({ totalRequested: 1_000, failureCount: 1_000 });
  expect(most.result.errors).toHaveLength(1_000);
});
