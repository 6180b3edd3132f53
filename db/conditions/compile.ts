import {
  type Condition,
  type EventTest,
  type InstantField,
  type InstantTest,
  type Predicate,
  randomGroups,
} from '../../core/conditions/condition.ts';
import { instantBefore } from '../../core/conditions/date-text.ts';
import { countedSql } from '../fragments/campaign-figures-sql.ts';
import { firstEventIdSince } from '../fragments/first-event-since.ts';
import type { Bind } from '../sql.ts';
import { endOfExists, type Reach } from './audience-query.ts';
import { comparisonSql } from './comparison-sql.ts';
import { compileDataTest } from './compile-data-test.ts';

export interface CompileOptions {
  projectId: string;
  reach?: Reach | undefined;
  now: Date;
  segmentMembership(segmentId: string, bind: Bind): string;
}

/**
 * A condition as SQL over `contacts c`, as tests that must all hold: each is true for contacts that match, otherwise
 * false or null. All values are bound parameters and no stored value is cast, so no mix of types can make the statement
 * fail. The enclosing statement must restrict `c` to a project.
 */
export function conditionTests({ logic, groups }: Condition, options: CompileOptions, bind: Bind): string[] {
  const parts = groups.map(({ filters, conditions }) => {
    const tests = filters.map(({ predicate, negated }) => {
      if (!negated) return `(${predicateSql(predicate, options, bind)})`;
      if (predicate.subject !== 'event' && predicate.subject !== 'campaign')
        return `((${predicateSql(predicate, options, bind)}) is not true)`;
      // Of all contacts, the planner can turn this form into an anti-join; "exists" is never null. Of few, each is looked up:
      // a join would compare each with all contacts of the event while Postgres expects few.
      const reach = options.reach === 'all' ? 'all' : 'given';
      return `not (${predicateSql(predicate, { ...options, reach }, bind)})`;
    });
    return conditions ? [...tests, ...conditionTests(conditions, options, bind)] : tests;
  });
  if (logic === 'AND') return parts.flat();
  return [`(${parts.map((tests) => `(${tests.join(' and ')})`).join(' or ')})`];
}

function predicateSql(predicate: Predicate, options: CompileOptions, bind: Bind): string {
  switch (predicate.subject) {
    case 'email':
      if (predicate.test.is === 'equal') return `c.email = ${bind(predicate.test.value)}::text`;
      return `strpos(lower(c.email collate "pg_c_utf8"), ${bind(predicate.test.text)}::text) > 0`;
    case 'subscribed':
      return `c.subscribed = ${bind(predicate.value)}::boolean`;
    case 'randomGroup':
      return `${randomGroupSql} < ${bind(predicate.below)}::integer`;
    case 'instant':
      return instantTestSql(instantColumns[predicate.field], predicate.test, options.now, bind);
    case 'data':
      return compileDataTest(predicate, options.now, bind);
    case 'event':
      return eventSql(predicate.name, predicate.test, options, bind);
    case 'segment':
      return options.segmentMembership(predicate.id, bind);
    case 'campaign':
      return campaignSql(predicate, options, bind);
  }
}

const randomGroupSql = `('x' || right(c.id::text, 4))::bit(16)::integer % ${randomGroups}`;

export const instantColumns: Readonly<Record<InstantField, string>> = {
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
  snoozedUntil: 'c.snoozed_until',
};

function instantTestSql(column: string, test: InstantTest, now: Date, bind: Bind): string {
  switch (test.is) {
    case 'present':
      return `${column} is not null`;
    case 'within':
      return `${column} >= ${bind(instantBefore(now, test.ms))}::timestamptz`;
    case 'olderThan':
      return `${column} < ${bind(instantBefore(now, test.ms))}::timestamptz`;
    case 'compared':
      return `${column} ${comparisonSql[test.by]} ${bind(test.value.instant)}::timestamptz`;
    case 'equal': {
      const from = `${bind(test.value.instant)}::timestamptz`;
      // Hours, because a day in the session's time zone may have only 23.
      if (test.value.isDay) return `${column} >= ${from} and ${column} < ${from} + interval '24 hours'`;
      return `${column} = ${from}`;
    }
  }
}

/**
 * Looks the email up by `emails_campaign_contact`, or reads the campaign's part of that index. The project is tested, too:
 * the campaign may be of another one.
 */
function campaignSql(
  { id, activity }: Extract<Predicate, { subject: 'campaign' }>,
  { projectId, reach }: Pick<CompileOptions, 'projectId' | 'reach'>,
  bind: Bind,
): string {
  return `exists (select from emails m where m.campaign_id = ${bind(id)}::uuid and m.contact_id = c.id
    and m.project_id = ${bind(projectId)}::uuid and ${countedSql[activity]('m')}${endOfExists(reach)})`;
}

/**
 * Uses the statistics, one row per contact and event name. Only a window that starts after the contact's first event
 * needs the journal; otherwise the stored count answers. The journal look-up reads up to `atLeast` entries of the index
 * `events_history` per contact. With reach `all`, it scans the index range of the event name once instead, which
 * Postgres can run in parallel, unlike look-ups per row.
 */
function eventSql(
  name: string,
  test: EventTest,
  { projectId, now, reach }: Pick<CompileOptions, 'projectId' | 'now' | 'reach'>,
  bind: Bind,
): string {
  if (test.is === 'counted' && test.atLeast === 0) return 'true';
  const event = `${bind(name)}::text`;
  // A parameter, not `c.project_id`: otherwise a plan that scans a whole event name reads it in every project.
  const project = `${bind(projectId)}::uuid`;
  const statistic = `select from contact_event_stats s where s.project_id = ${project} and s.name = ${event}
    and s.contact_id = c.id`;
  const end = endOfExists(reach);
  if (test.is !== 'counted') {
    const age = test.is === 'present' ? '' : ` and ${instantTestSql('s.last_at', test, now, bind)}`;
    return `exists (${statistic}${age}${end})`;
  }
  if (test.withinMs === undefined)
    return `exists (${statistic} and s.count >= ${bind(test.atLeast)}::bigint${end})`;
  const from = `${bind(instantBefore(now, test.withinMs))}::timestamptz`;
  if (test.atLeast === 1) return `exists (${statistic} and s.last_at >= ${from}${end})`;
  const atLeast = `${bind(test.atLeast)}::bigint`;
  const journal = `from events e where e.project_id = ${project} and e.name = ${event} and e.occurred_at >= ${from}
    and e.kind <> 'activity'`;
  if (reach === 'all') {
    // No bound on ids: it would prune partitions but prevent the index-only scan.
    return `c.id in (select e.contact_id ${journal} and e.contact_id is not null
      group by e.contact_id having count(*) >= ${atLeast})`;
  }
  const firstId = `${bind(firstEventIdSince(new Date(instantBefore(now, test.withinMs))))}::uuid`;
  return `exists (${statistic} and s.count >= ${atLeast} and s.last_at >= ${from} and (s.first_at >= ${from}
    or exists (select ${journal} and e.id >= ${firstId} and e.contact_id = s.contact_id offset ${atLeast} - 1))${end})`;
}
