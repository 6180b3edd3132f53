import fc from 'fast-check';
import { v4, v7 } from 'uuid';
import type { ActivityStats } from '../questions/activity-stats.ts';
import type { EventInsertRow } from './event-row.ts';

const eventTypes = [
  ['emitted', 'email.sent', 'email.sent'],
  ['emitted', 'email.delivery', 'email.delivered'],
  ['emitted', 'email.open', 'email.opened'],
  ['emitted', 'email.click', 'email.clicked'],
  ['emitted', 'email.click', 'email.clicked'],
  ['emitted', 'email.bounce', 'email.bounced'],
  ['emitted', 'email.complaint', 'email.complained'],
  ['emitted', 'segment.vip.entry', ''],
  ['emitted', 'contact.unsubscribed', 'contact.unsubscribed'],
  ['activity', 'email.unsubscribed', ''],
  ['tracked', 'page viewed', 'event.tracked'],
  ['tracked', 'order placed', 'event.tracked'],
  ['activity', 'workflow.started', 'workflow.started'],
] as const;

export function journalArbitrary(
  projectId: string,
  start: Date,
  days: number,
): fc.Arbitrary<EventInsertRow[]> {
  const contacts = Array.from({ length: 3 }, () => v7());
  const campaigns = [null, ...Array.from({ length: 3 }, () => v7())];
  const emails = Array.from({ length: 5 }, (_, n) => (n === 0 ? v4() : v7()));
  const row = fc
    .record({
      eventType: fc.constantFrom(...eventTypes),
      // Multiples of three hours, so that instants coincide.
      at: fc.integer({ min: 0, max: days * 8 - 1 }).map((n) => new Date(start.getTime() + n * 3 * 3_600_000)),
      contactId: fc.constantFrom(...contacts),
      emailId: fc.constantFrom(...emails),
      campaignId: fc.constantFrom(...campaigns),
      data: fc.record(
        {
          bounceType: fc.constantFrom('Permanent', 'Transient'),
          isFirst: fc.boolean(),
          countsAsOpen: fc.constantFrom(true, undefined),
          reason: fc.constantFrom('bounce', 'complaint', 'snooze'),
        },
        { requiredKeys: ['isFirst', 'countsAsOpen'] },
      ),
    })
    .map(({ eventType: [kind, name, activityType], at, contactId, emailId, campaignId, data }) => {
      const row: EventInsertRow = {
        projectId,
        eventId: v7(),
        occurredAt: at,
        name,
        kind,
        activityType,
        contactId,
        emailId: name.startsWith('email.') ? emailId : null,
        campaignId: name.startsWith('email.') ? campaignId : null,
        workflowId: null,
        data,
      };
      return row;
    });
  return fc.array(row, { minLength: 1, maxLength: 60, size: 'max' });
}

export function deliveriesOf(rows: EventInsertRow[]): fc.Arbitrary<EventInsertRow[][]> {
  const shuffled = fc.shuffledSubarray([...rows, ...rows, ...rows], { minLength: rows.length * 3 });
  return fc
    .tuple(shuffled, fc.integer({ min: Math.ceil(rows.length * 0.3), max: rows.length * 3 }))
    .map(([order, size]) => {
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

export function byInstantAndId<T extends { occurredAt: Date; id: string }>(rows: T[]): T[] {
  return rows.toSorted((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (a.id < b.id ? 1 : -1));
}

function figuresOf({ name, kind, activityType, data }: EventInsertRow): string[] {
  const figures: string[] = [];
  if (activityType === 'email.sent') figures.push('sent');
  if (activityType === 'email.delivered') figures.push('delivered');
  if (activityType === 'email.clicked' && data.isFirst === true) figures.push('clicked');
  if (activityType === 'email.bounced' && data.bounceType !== 'Transient') figures.push('bounced');
  if (activityType === 'email.complained') figures.push('complained');
  if (['email.opened', 'email.clicked'].includes(activityType) && data.countsAsOpen === true) {
    figures.push('opened');
  }
  if (activityType === 'contact.unsubscribed' && data.reason !== 'bounce' && data.reason !== 'complaint') {
    figures.push('unsubscribed');
  }
  if (kind === 'activity' && name === 'email.unsubscribed') figures.push('optedOut');
  return figures;
}

export function modelFigures(rows: EventInsertRow[], period: Period) {
  const found = rows.filter((row) => isWithin(row.occurredAt, period)).flatMap(figuresOf);
  const count = (figure: string) => found.filter((one) => one === figure).length;
  return {
    sent: count('sent'),
    delivered: count('delivered'),
    opened: count('opened'),
    clicked: count('clicked'),
    bounced: count('bounced'),
    complained: count('complained'),
    unsubscribed: count('unsubscribed'),
    optedOut: count('optedOut'),
  };
}

export function modelActivityStats(rows: EventInsertRow[], period: Period): ActivityStats {
  const { unsubscribed: _, optedOut: __, ...figures } = modelFigures(rows, period);
  const shown = rows.filter((row) => row.activityType !== '' && isWithin(row.occurredAt, period));
  return {
    totalEvents: shown.length,
    workflowsStarted: shown.filter((row) => row.activityType === 'workflow.started').length,
    ...figures,
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
