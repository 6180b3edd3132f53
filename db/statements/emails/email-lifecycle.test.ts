import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  applyProviderEvent,
  type EmailState,
  type ProviderEvent,
} from '../../../core/testing/email-model.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, providerEvent } from '../../../test/setup/inputs.ts';
import { findWrongCounts, readContact, readEmail, readEvents } from '../../../test/setup/read-database.ts';
import { acceptEmails } from './accept-emails.ts';
import { applyProviderEvents, type ProviderEventInput } from './apply-provider-events.ts';

const { em, sql } = useTestDatabase();

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000);

/** A provider event about one of three emails, the first two of which go to one contact. */
interface DrawnEvent {
  kind: ProviderEventInput['kind'];
  bounceType: 'Permanent' | 'Transient' | 'Undetermined';
  second: number;
  email: 0 | 1 | 2;
}

interface Scenario {
  events: DrawnEvent[];
  /** Indexes of the notifications in the order of their arrival; each occurs at least once. */
  arrivals: number[];
  /** Whether events about different emails share a batch. */
  isBatched: boolean;
  status: EmailState['status'];
  isSubscribed: boolean;
}

const drawnEvents = fc.array(
  fc.record({
    kind: fc.constantFrom('send', 'delivery', 'open', 'click', 'bounce', 'complaint', 'reject'),
    bounceType: fc.constantFrom('Permanent', 'Transient', 'Undetermined'),
    second: fc.nat({ max: 50 }),
    email: fc.constantFrom(0, 1, 2),
  }) satisfies fc.Arbitrary<DrawnEvent>,
  { minLength: 1, maxLength: 14 },
);

const ownStatuses = ['QUEUED', 'SENDING', 'UNKNOWN', 'SENT', 'SUPPRESSED', 'CANCELLED', 'FAILED'] as const;

const scenarios: fc.Arbitrary<Scenario> = drawnEvents.chain((events) => {
  const indexes = events.map((_, index) => index);
  return fc.record({
    events: fc.constant(events),
    arrivals: fc
      .tuple(fc.shuffledSubarray(indexes, { minLength: indexes.length }), fc.shuffledSubarray(indexes))
      .map((parts) => parts.flat()),
    isBatched: fc.boolean(),
    status: fc.constantFrom(...ownStatuses),
    isSubscribed: fc.boolean(),
  });
});

const modelTypes = {
  send: 'Send',
  delivery: 'Delivery',
  open: 'Open',
  click: 'Click',
  complaint: 'Complaint',
  reject: 'Reject',
} as const;

function toModel({ kind, bounceType, second }: DrawnEvent): ProviderEvent {
  return kind === 'bounce'
    ? { type: 'Bounce', bounceType, at: at(second) }
    : { type: modelTypes[kind], at: at(second) };
}

async function prepareEmails(projectId: string, { status, isSubscribed }: Scenario) {
  const addresses = ['a@example.com', 'a@example.com', 'b@example.com'];
  const call = acceptInput(projectId, addresses, { subscribed: isSubscribed });
  const [emails = []] = await acceptEmails(em(), [call]);
  const sentAt = status === 'SENT' ? at(20) : null;
  const where = 'where content_id = $1';
  await sql(`update emails set status = $2, sent_at = $3 ${where}`, [call.contentId, status, sentAt]);
  return emails;
}

/** Delivers the events as they arrive, and expects each notification to be applied once. */
async function arrive(scenario: Scenario, emailIds: string[]): Promise<void> {
  const inputs = scenario.events.map((event) =>
    providerEvent(emailIds[event.email] ?? '', event.kind, {
      occurredAt: at(event.second),
      bounceType: event.kind === 'bounce' ? event.bounceType : null,
    }),
  );
  const seen = new Set<string>();
  const apply = async (batch: ProviderEventInput[]) => {
    const expected = batch.map(({ notificationId }) => (seen.has(notificationId) ? 'duplicate' : 'applied'));
    for (const { notificationId } of batch) seen.add(notificationId);
    expect(await applyProviderEvents(em(), batch)).toEqual(expected);
  };
  const batch: ProviderEventInput[] = [];
  for (const input of scenario.arrivals.flatMap((index) => inputs[index] ?? [])) {
    const isFull = !scenario.isBatched || batch.some(({ emailId }) => emailId === input.emailId);
    if (isFull && batch.length > 0) await apply(batch.splice(0));
    batch.push(input);
  }
  await apply(batch);
}

/** The result of the pure state machine for the events of one email, in the order in which they were generated. */
function runModel(scenario: Scenario, own: DrawnEvent[]) {
  let state: EmailState = {
    ...{ status: scenario.status, sentAt: scenario.status === 'SENT' ? at(20) : null, deliveredAt: null },
    ...{ openedAt: null, clickedAt: null, bouncedAt: null, complainedAt: null, failedAt: null },
  };
  const reasons = new Set<string>();
  for (const event of own) {
    const transition = applyProviderEvent(state, toModel(event));
    state = transition.state;
    if (transition.suppress !== undefined) reasons.add(transition.suppress);
  }
  const { failedAt: _, ...row } = state;
  return { row, reasons };
}

const tally = <Item>(items: Item[], nameOf: (item: Item) => string) =>
  Object.fromEntries(Object.entries(Object.groupBy(items, nameOf)).map(([name, all]) => [name, all?.length]));

/** How often each kind must be in the journal for an email. */
function expectedJournal(own: DrawnEvent[], isNewlySent: boolean): Record<string, number | undefined> {
  const onceOnly = new Set(['email.delivery', 'email.complaint', 'email.bounce Permanent']);
  const counts = tally(
    own.filter(({ kind }) => kind !== 'send' && kind !== 'reject'),
    ({ kind, bounceType }) => (kind === 'bounce' ? `email.bounce ${bounceType}` : `email.${kind}`),
  );
  for (const name of Object.keys(counts)) if (onceOnly.has(name)) counts[name] = 1;
  return isNewlySent ? { ...counts, 'email.sent': 1 } : counts;
}

it('brings emails and contacts to the same state as the model, for any events, repeats and order', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const projectId = randomUUID();
      const emails = await prepareEmails(projectId, scenario);
      const emailIds = emails.map((email) => email.emailId);
      await arrive(scenario, emailIds);

      const journal = await readEvents(em(), projectId);
      const models = emailIds.map((_, index) =>
        runModel(
          scenario,
          scenario.events.filter((event) => event.email === index),
        ),
      );
      for (const [index, { row }] of models.entries()) {
        const own = scenario.events.filter((event) => event.email === index);
        const opens = own.filter((event) => event.kind === 'open').length;
        const clicks = own.filter((event) => event.kind === 'click').length;
        expect(await readEmail(em(), emailIds[index] ?? '')).toMatchObject({ ...row, opens, clicks });

        const told = journal.filter(
          (event) => event.emailId === emailIds[index] && event.name !== 'contact.unsubscribed',
        );
        const isNewlySent = row.sentAt !== null && scenario.status !== 'SENT';
        expect(
          tally(told, ({ name, data }) => (data.bounceType ? `${name} ${data.bounceType}` : name)),
        ).toEqual(expectedJournal(own, isNewlySent));
      }
      for (const [address, own] of [
        ['a@example.com', models.slice(0, 2)] as const,
        ['b@example.com', models.slice(2)] as const,
      ]) {
        const reasons = own.flatMap((model) => [...model.reasons]);
        const reason = reasons.includes('complaint') ? 'complaint' : (reasons[0] ?? null);
        const contact = await readContact(em(), projectId, address);
        expect(contact).toMatchObject({
          subscribed: scenario.isSubscribed && reason === null,
          suppressionReason: reason,
        });
        const isTold = ({ contactId, name }: (typeof journal)[number]) =>
          contactId === contact?.id && name === 'contact.unsubscribed';
        expect(journal.filter(isTold)).toHaveLength(scenario.isSubscribed && reason !== null ? 1 : 0);
      }
      expect(await findWrongCounts(em(), projectId)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
