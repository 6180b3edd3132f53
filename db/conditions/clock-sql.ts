import type { SegmentClock } from '../../core/segments/segment-inputs.ts';
import { firstEventIdSince } from '../fragments/first-event-since.ts';
import type { Bind } from '../sql.ts';
import { instantColumns } from './compile.ts';
import { dataTextSql, dataValueSql } from './data-value.ts';
import { dateInstantSql } from './date-sql.ts';

export type ContactClock = Exclude<SegmentClock, { of: 'event' }>;
export type EventClock = Extract<SegmentClock, { of: 'event' }>;

/**
 * SQL for rows of (contact_id, instant); null without an instant. The result of a clock's test changes when the instant
 * becomes older than its window.
 *
 * @param contacts source of `contacts c`
 */
export const contactInstantsSql = (clock: ContactClock, contacts: string, bind: Bind): string =>
  `select c.id as contact_id, ${contactInstantSql(clock, bind)} as instant from ${contacts}`;

function contactInstantSql(clock: ContactClock, bind: Bind): string {
  if (clock.of === 'instant') return instantColumns[clock.field];
  const text = dataTextSql(dataValueSql(clock.key, clock.path, bind), clock.path);
  return `(${dateInstantSql(`(${text} collate "C")`)} at time zone 'UTC')`;
}

/**
 * SQL for the same rows from the instants of an event, since a point in time. A dropped partition's events still count,
 * up to the contact's first event (`eventSql`), so that one is an instant too.
 *
 * @param bounds further conditions on `contact_event_stats s`
 */
export function eventInstantsSql(
  { name, nth }: EventClock,
  projectId: string,
  since: Date,
  bounds: string,
  bind: Bind,
): string {
  const [project, event, from] = [bind(projectId), bind(name), bind(since)];
  const of = (table: string) => `${table}.project_id = ${project}::uuid and ${table}.name = ${event}::text`;
  const statistics = `contact_event_stats s
    where ${of('s')} and s.last_at >= ${from}::timestamptz${bounds}`;
  // With "offset 0", bounds on the contact are looked up by key, however few rows of the event Postgres expects.
  if (nth === 1) return `select s.contact_id, s.last_at as instant from ${statistics} offset 0`;
  // The bound on the id limits the scan to the partitions that can have the events.
  return `select s.contact_id, i.instant
    from (select * from ${statistics} and s.count >= ${bind(nth)}::bigint offset 0) s
    cross join lateral (values (s.first_at), ((
      select e.occurred_at from events e
      where ${of('e')} and e.contact_id = s.contact_id and e.kind <> 'activity'
        and e.occurred_at >= ${from}::timestamptz and e.id >= ${bind(firstEventIdSince(since))}::uuid
      order by e.occurred_at desc limit 1 offset ${bind(nth - 1)}::bigint))) i (instant)`;
}
