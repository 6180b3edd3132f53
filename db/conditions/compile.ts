import type {
  Condition,
  EventTest,
  InstantField,
  InstantTest,
  Predicate,
} from '../../core/conditions/condition.ts';
import { instantBefore } from '../../core/conditions/date-text.ts';
import type { Reach } from './audience-statement.ts';
import type { Bind } from './bind.ts';
import { comparisonSql } from './comparison-sql.ts';
import { compileDataTest } from './compile-data-test.ts';

export interface CompileOptions {
  /** The contacts' project: what a test reads of events is looked up in it and nowhere else. */
  projectId: string;
  /** `few` by default. */
  reach?: Reach | undefined;
  /** The instant that `within` and `olderThan` count from. */
  now: Date;
  /** Parameters that the statement has before the condition's own; the first placeholder is one higher. */
  parameterOffset?: number;
  /** @returns SQL, true or false, for whether the contact `c` is a member of a segment. */
  segmentMembership(segmentId: string, bind: Bind): string;
}

export interface CompiledCondition {
  /** True exactly for the contacts that meet the condition; false or null for the others. */
  sql: string;
  parameters: unknown[];
}

/**
 * A condition as SQL over `contacts c`, in the same meaning as `evaluateCondition`. Every user's word is a bound
 * parameter, and nothing casts a stored value, so no mix of types makes the statement fail. The statement around
 * it restricts `c` to a project.
 */
export function compileCondition(condition: Condition, options: CompileOptions): CompiledCondition {
  const parameters: unknown[] = [];
  const bind: Bind = (value) => `$${parameters.push(value) + (options.parameterOffset ?? 0)}`;
  return { sql: conditionSql(condition, options, bind), parameters };
}

/** As `compileCondition`, with the parameters kept by the caller: for a condition within another statement's. */
export function conditionSql(
  { logic, groups }: Condition,
  options: Omit<CompileOptions, 'parameterOffset'>,
  bind: Bind,
): string {
  const parts = groups.map(({ filters, conditions }) => {
    const tests = filters.map(({ predicate, negated }) => {
      const test = predicateSql(predicate, options, bind);
      if (!negated) return `(${test})`;
      // Written like this, the planner can make an anti-join of it; "exists" is never null.
      return predicate.subject === 'event' ? `not (${test})` : `((${test}) is not true)`;
    });
    if (conditions) tests.push(conditionSql(conditions, options, bind));
    return `(${tests.join(' and ')})`;
  });
  return `(${parts.join(logic === 'AND' ? ' and ' : ' or ')})`;
}

function predicateSql(
  predicate: Predicate,
  options: Omit<CompileOptions, 'parameterOffset'>,
  bind: Bind,
): string {
  switch (predicate.subject) {
    case 'email':
      if (predicate.test.is === 'equal') return `c.email = ${bind(predicate.test.value)}::text`;
      return `strpos(lower(c.email collate "pg_c_utf8"), ${bind(predicate.test.text)}::text) > 0`;
    case 'subscribed':
      return `c.subscribed = ${bind(predicate.value)}::boolean`;
    case 'instant':
      return instantSql(columns[predicate.field], predicate.test, options.now, bind);
    case 'data':
      return compileDataTest(predicate, options.now, bind);
    case 'event':
      return eventSql(predicate.name, predicate.test, options, bind);
    case 'segment':
      return options.segmentMembership(predicate.id, bind);
  }
}

const columns: Readonly<Record<InstantField, string>> = {
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
  snoozedUntil: 'c.snoozed_until',
};

function instantSql(column: string, test: InstantTest, now: Date, bind: Bind): string {
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
      // Hours, because a day of the session's time zone may have 23 of them.
      if (test.value.isDay) return `${column} >= ${from} and ${column} < ${from} + interval '24 hours'`;
      return `${column} = ${from}`;
    }
  }
}

/**
 * Reads the statistics, a row per contact and name. Only a window that a contact's events straddle needs the
 * journal: when the first event is inside, all are, and the kept count answers. What is left is looked up by
 * `events_history` and stops at the number asked for. When everyone is asked, the part of that index with the event's
 * name is read once instead, which also leaves the rest to several processes: look-ups per row stay in one.
 * Counts per day could not answer for hours and minutes.
 */
function eventSql(
  name: string,
  test: EventTest,
  { projectId, now, reach }: Pick<CompileOptions, 'projectId' | 'now' | 'reach'>,
  bind: Bind,
): string {
  if (test.is === 'counted' && test.atLeast === 0) return 'true';
  const event = `${bind(name)}::text`;
  // Not the project of `c`: a planner that reads all the events of a name would read those of all projects.
  const project = `${bind(projectId)}::uuid`;
  const statistic = `select from contact_event_stats s where s.project_id = ${project} and s.name = ${event}
    and s.contact_id = c.id`;
  if (test.is !== 'counted') {
    const age = test.is === 'present' ? '' : ` and ${instantSql('s.last_at', test, now, bind)}`;
    return `exists (${statistic}${age})`;
  }
  const from =
    test.withinMs === undefined ? undefined : `${bind(instantBefore(now, test.withinMs))}::timestamptz`;
  if (from !== undefined && test.atLeast === 1) return `exists (${statistic} and s.last_at >= ${from})`;
  const atLeast = `${bind(test.atLeast)}::bigint`;
  if (from === undefined) return `exists (${statistic} and s.count >= ${atLeast})`;
  const journal = `from events e where e.project_id = ${project} and e.name = ${event} and e.occurred_at >= ${from}
    and e.kind <> 'activity'`;
  if (reach === 'all') {
    return `c.id in (select e.contact_id ${journal} and e.contact_id is not null
      group by e.contact_id having count(*) >= ${atLeast})`;
  }
  return `exists (${statistic} and s.count >= ${atLeast} and s.last_at >= ${from} and (s.first_at >= ${from}
    or exists (select ${journal} and e.contact_id = s.contact_id offset ${atLeast} - 1)))`;
}
