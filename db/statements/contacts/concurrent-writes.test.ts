import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPool, useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, providerEvent, trackInput, upsertInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { findWrongCounts, readContact, readCounts, readEvents } from '../../../test/setup/read-database.ts';
import { untilBlocking } from '../../../test/setup/until-blocking.ts';
import type { Em, Orm } from '../../orm.ts';
import { sql as run } from '../../testing/sql.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import { claimEmails } from '../emails/claim-emails.ts';
import { recordHandOvers } from '../emails/hand-overs.ts';
import { trackEvents } from '../events/track-events.ts';
import { changeSubscription, type SubscriptionChange } from './change-subscription.ts';
import { deleteContacts } from './delete-contacts.ts';
import { endDueSnoozes } from './end-snoozes.ts';
import { patchContact, upsertContact } from './patch-contact.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);
let processes: Orm[];
beforeAll(() => {
  // As many pools as the product would have processes.
  processes = Array.from({ length: 4 }, () => openPool(database.url, 18));
});
afterAll(async () => {
  for (const orm of processes) await orm.close();
});

const inProcess = (index: number) => (processes[index % processes.length] ?? database.orm).em.fork();
const address = (index: number) => `user${index}@example.com`;

/** Distinct random numbers below `below`. */
function pick(count: number, below: number): number[] {
  const picked = new Set<number>();
  while (picked.size < count) picked.add(Math.floor(Math.random() * below));
  return [...picked];
}

it('lets two processes create the same contact at once without losing anything', async () => {
  for (let round = 0; round < 20; round += 1) {
    const email = address(round);
    const [one, other, third] = await Promise.all([
      trackEvents(inProcess(0), [trackInput(project.id, email, { patch: { one: 1, both: 1, gone: 1 } })]),
      trackEvents(inProcess(1), [
        trackInput(project.id, email, { patch: { other: 1, both: 2, gone: null } }),
      ]),
      acceptEmails(inProcess(2), [acceptInput(project.id, [email], { patch: { third: 1 } })]),
    ]);
    const contact = await readContact(em(), project.id, email);
    expect([one[0]?.contactId, other[0]?.contactId, third[0]?.[0]?.contactId]).toEqual(
      Array(3).fill(contact?.id),
    );
    // The second of the two sees the first one's changes: `both` shows their order.
    const { both, ...rest } = contact?.data ?? {};
    expect(rest).toEqual({ one: 1, other: 1, third: 1, ...(both === 1 && { gone: 1 }) });
    expect(await readCounts(em(), contact?.id ?? '')).toEqual({ signed_up: 2 });
  }
});

it('writes 50 concurrent batches of overlapping contacts: nothing is lost, counts are exact, no batch hangs', async () => {
  const people = 40;
  const batchSize = 12;
  const tracked = Array.from({ length: 50 }, (_, batch) =>
    pick(batchSize, people).map((index) =>
      trackInput(project.id, address(index), {
        patch: { [`batch${batch}`]: batch },
        subscribed: batch % 5 === 0 ? Math.random() < 0.5 : undefined,
        eventName: batch % 2 ? 'odd' : 'even',
      }),
    ),
  );
  // A deadlock or serialization failure in any of them would fail the test.
  await Promise.all(tracked.map((inputs, batch) => trackEvents(inProcess(batch), inputs)));

  expect(await findWrongCounts(em(), project.id)).toEqual([]);
  const journal = await readEvents(em(), project.id);
  expect(journal.filter((event) => event.kind === 'tracked')).toHaveLength(50 * batchSize);
  for (const index of Array(people).keys()) {
    const own = tracked.flat().filter((input) => input.email === address(index));
    const contact = await readContact(em(), project.id, address(index));
    expect(contact?.data).toEqual(Object.assign({}, ...own.map((input) => input.patch)));
    // Each change flips the subscription, so the changes alternate and lead to its current value.
    const flips = journal.filter((event) => event.contactId === contact?.id && event.kind === 'emitted');
    const subscribes = flips.filter((event) => event.name === 'contact.subscribed').length;
    const balance = subscribes - (flips.length - subscribes);
    expect(contact?.subscribed ? [0, 1] : [0, -1]).toContain(balance);
  }
});

it('runs every kind of statement concurrently on the same contacts and emails without a deadlock', async () => {
  const people = 25;
  const sent = await acceptEmails(em(), [
    acceptInput(
      project.id,
      Array.from(Array(4 * people).keys(), (index) => address(index % people)),
      {
        subscribed: true,
      },
    ),
  ]);
  const emailIds = sent.flat().map((email) => email.emailId);
  const contactIds = sent.flat().map((email) => email.contactId);
  const some = <Item>(items: Item[], count: number) =>
    pick(count, items.length).flatMap((index) => items[index] ?? []);
  const kinds = ['delivery', 'open', 'click', 'bounce', 'complaint', 'send'] as const;
  let kind = 0;
  const works: ((own: Em) => Promise<unknown>)[] = [
    (own) =>
      trackEvents(
        own,
        pick(10, people).map((index) => trackInput(project.id, address(index), { subscribed: true })),
      ),
    (own) =>
      acceptEmails(own, [
        acceptInput(project.id, pick(6, people).map(address), { patch: { at: Math.random() } }),
      ]),
    (own) =>
      upsertContact(own, upsertInput(project.id, address(pick(1, people)[0] ?? 0), { subscribed: false })),
    (own) =>
      patchContact(own, {
        ...{
          projectId: project.id,
          id: some(contactIds, 1)[0] ?? '',
          email: undefined,
          subscribed: true,
          patch: { b: 1 },
        },
        occurredAt: new Date(),
      }),
    (own) => {
      kind += 1;
      return applyProviderEvents(
        own,
        some(emailIds, 15).map((id) => providerEvent(id, kinds[kind % 6] ?? 'open')),
      );
    },
    async (own) => {
      const token = uuidv7();
      const claimed = await claimEmails(own, some(emailIds, 15), token, 120);
      const records = claimed.map((email) => ({
        ...{
          emailId: email.id,
          status: 'SENT' as const,
          messageId: email.id,
          reason: null,
          subject: 'Hello',
        },
        ...{ eventId: uuidv7(), occurredAt: new Date() },
      }));
      return recordHandOvers(own, token, records);
    },
    async (own) => {
      const inAnHour = new Date(Date.now() + 3_600_000);
      const changes: SubscriptionChange[] = [
        { to: 'snoozed', until: inAnHour },
        { to: 'unsubscribed' },
        { to: 'subscribed' },
      ];
      for (const email of some(sent.flat(), 10)) {
        kind += 1;
        await changeSubscription(own, {
          ...{ projectId: project.id, ...email, change: changes[kind % 3] ?? { to: 'subscribed' } },
          occurredAt: new Date(),
        });
      }
    },
    (own) => endDueSnoozes(own, new Date(), new Date(Date.now() + 7_200_000), 10),
    async (own) => {
      const contact = await readContact(own, project.id, address(pick(1, 5)[0] ?? 0));
      return contact && deleteContacts(own, project.id, [contact.id]);
    },
  ];
  await Promise.all(
    Array.from({ length: 8 * works.length }, (_, index) => works[index % works.length]?.(inProcess(index))),
  );
  // Erased contacts may have left statistics or journal rows behind; counts of existing contacts are exact.
  const wrong = await findWrongCounts(em(), project.id);
  const alive = await sql<{ id: string }>('select id from contacts where project_id = $1', [project.id]);
  const ids = new Set(alive.map((contact) => contact.id));
  expect(wrong.filter((row) => ids.has(row.contactId))).toEqual([]);
});

it('deletes a contact while an event wakes its execution: both lock statistics before listeners', async () => {
  const [tracked] = await trackEvents(em(), [trackInput(project.id, address(0), { eventName: 'order' })]);
  const id = tracked?.contactId ?? '';
  await sql(
    `with execution as (
       insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once)
       values (uuidv7(), $1, uuidv7(), 1, $2, 'WAITING', false) returning *
     )
     insert into event_listeners (project_id, event_name, contact_id, id, workflow_id, execution_id, visit)
     select project_id, 'order', contact_id, id, workflow_id, id, 1 from execution`,
    [project.id, id],
  );
  let deleting: Promise<string[]> | undefined;
  await em().transactional(async (own) => {
    await run(own, 'select from contact_event_stats where contact_id = $1 for update', [id]);
    deleting = em().transactional((other) => deleteContacts(other, project.id, [id]));
    await untilBlocking(own);
    await run(own, 'select from event_listeners where contact_id = $1 for update', [id]);
  });
  expect(await deleting).toEqual([id]);
  expect(await sql('select from event_listeners where contact_id = $1', [id])).toEqual([]);
});

it('ends overdue snoozes without waiting for a contact that another transaction holds', async () => {
  for (const email of ['held@example.com', 'free@example.com'])
    await upsertContact(em(), upsertInput(project.id, email));
  await sql(
    `update contacts set subscribed = false, snoozed_until = now() - interval '1 day' where project_id = $1`,
    [project.id],
  );
  const end = () => endDueSnoozes(em(), new Date(), new Date(), 500);
  await em().transactional(async (own) => {
    await run(own, `select from contacts where email = 'held@example.com' for update`);
    expect(await end()).toBe(1);
  });
  expect(await end()).toBe(1);
});
