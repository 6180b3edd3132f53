import fc from 'fast-check';
import { v4, v7 } from 'uuid';
import type { ActivityStats } from '../questions/activity-stats.ts';
import type { EventInsertRow } from '../tables/event.ts';

/** What the rows of a random journal are: kind, name, activity type. */
const happenings = [
  ['emitted', 'email.sent', 'email.sent'],
  ['emitted', 'email.delivery', 'email.delivered'],
  ['emitted', 'email.open', 'email.opened'],
  ['emitted', 'email.click', 'email.clicked'],
  ['emitted', 'email.bounce', 'email.bounced'],
  ['emitted', 'email.complaint', 'email.complained'],
  ['emitted', 'segment.vip.entry', ''],
  ['tracked', 'page viewed', 'event.tracked'],
  ['tracked', 'order placed', 'event.tracked'],
  ['activity', 'workflow.started', 'workflow.started'],
] as const;

/** Rows of one project that meet in instants, contacts and emails; some emails have ids without a time inside. */
export function journalArbitrary(
  projectId: string,
  start: Date,
  days: number,
): fc.Arbitrary<EventInsertRow[]> {
  const contacts = Array.from({ length: 3 }, () => v7());
  const emails = Array.from({ length: 5 }, (_, n) => (n === 0 ? v4() : v7()));
  const row = fc
    .record({
      happening: fc.constantFrom(...happenings),
      // A multiple of some hours, so that instants coincide.
      at: fc.integer({ min: 0, max: days * 8 - 1 }).map((n) => new Date(start.getTime() + n * 3 * 3_600_000)),
      contactId: fc.constantFrom(...contacts),
      emailId: fc.constantFrom(...emails),
      bounceType: fc.constantFrom('Permanent', 'Transient', undefined),
    })
    .map(({ happening: [kind, name, activityType], at, contactId, emailId, bounceType }): EventInsertRow => {
      return {
        projectId,
        eventId: v7(),
        occurredAt: at,
        name,
        kind,
        activityType,
        contactId,
        emailId: name.startsWith('email.') ? emailId : null,
        campaignId: null,
        workflowId: null,
        data: bounceType === undefined ? {} : { bounceType },
      };
    });
  return fc.array(row, { minLength: 1, maxLength: 60, size: 'max' });
}

/** A journal as it may arrive: every row three times, in any order, cut into batches anywhere. */
export function deliveriesOf(rows: EventInsertRow[]): fc.Arbitrary<EventInsertRow[][]> {
  const shuffled = fc.shuffledSubarray([...rows, ...rows, ...rows], { minLength: rows.length * 3 });
  return fc.tuple(shuffled, fc.integer({ min: 1, max: rows.length * 3 })).map(([order, size]) => {
    const batches = Math.ceil(order.length / size);
    return Array.from({ length: batches }, (_, n) => order.slice(n * size, (n + 1) * size));
  });
}

interface Period {
  startDate: Date;
  endDate: Date;
}

const isWithin = (instant: Date, { startDate, endDate }: Period) =>
  instant >= startDate && instant <= endDate;

/** Newest first; rows of one instant by id, so that lists can be compared. */
export function byInstantAndId<T extends { occurredAt: Date; id: string }>(rows: T[]): T[] {
  return rows.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : -1));
}

export function modelActivityStats(rows: EventInsertRow[], period: Period): ActivityStats {
  const firsts = (type: string) => {
    const first = new Map<string, Date>();
    for (const row of rows) {
      if (
        row.emailId === null ||
        row.activityType !== type ||
        (row.data.bounceType === 'Transient' && type === 'email.bounced')
      )
        continue;
      const known = first.get(row.emailId);
      if (known === undefined || row.occurredAt < known) first.set(row.emailId, row.occurredAt);
    }
    return [...first.values()].filter((instant) => isWithin(instant, period)).length;
  };
  const shown = rows.filter((row) => row.activityType !== '' && isWithin(row.occurredAt, period));
  return {
    totalEvents: shown.length,
    workflowsStarted: shown.filter((row) => row.activityType === 'workflow.started').length,
    sent: firsts('email.sent'),
    delivered: firsts('email.delivered'),
    opened: firsts('email.opened'),
    clicked: firsts('email.clicked'),
    bounced: firsts('email.bounced'),
    complained: firsts('email.complained'),
  };
}

export function modelEventCounts(
  rows: EventInsertRow[],
  period: Period,
): { total: number; byName: Map<string, number>; byDay: Map<string, number> } {
  const counted = rows.filter((row) => row.kind !== 'activity' && isWithin(row.occurredAt, period));
  const tally = (key: (row: EventInsertRow) => string) => {
    const counts = new Map<string, number>();
    for (const row of counted) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
    return counts;
  };
  return {
    total: counted.length,
    byName: tally((row) => row.name),
    byDay: tally((row) => row.occurredAt.toISOString().slice(0, 10)),
  };
}
