import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { nilId } from '../../../core/nil-id.ts';
import {
  clockSources,
  type SegmentClock,
  segmentClockSchema,
} from '../../../core/segments/segment-inputs.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import {
  type ContactClock,
  contactInstantsSql,
  type EventClock,
  eventInstantsSql,
} from '../../conditions/clock-sql.ts';
import { joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { type Bind, bindInto, execute, query, queryColumn } from '../../sql.ts';
import type { Touched } from './batch-segments.ts';
import { boundsSql, type ContactCursor, contactsPerBatch, findBatchEnd } from './contact-batches.ts';
import { type HopsOfChanges, hopsOfContactSql, hopsParameter } from './hops-of-changes.ts';

/** How far ahead changes by time are planned, and how much of that is left when the next plan is made. */
const aheadHours = 36;
export const replanHours = 12;

const plannedRow = z.object({
  input: z.string(),
  clock: segmentClockSchema,
  from: z.date(),
  until: z.date(),
});
type PlannedClock = z.output<typeof plannedRow>;

/** Clocks that read the same instants, each with its own window. */
interface ClockGroup {
  clock: SegmentClock;
  /** No change to be planned comes from an earlier instant. */
  since: Date;
  clocks: readonly PlannedClock[];
}

/**
 * Records the contacts of a project for which the passing of time changes the answer of a test within the next 36
 * hours, as changes that become due at that instant: see the example in docs/decisions/0015-segment-rounds.md. Runs
 * once a day, and before the first computation of a segment with a new clock. Safe to interrupt and repeat.
 *
 * @param em outside of a transaction
 * @param newOf id of a segment's plan, whose clocks are planned even for the first time: all writers know its inputs.
 *   Null plans only clocks that have been planned before.
 * @param budgetMs after this, no further batch of contacts or clock is started; the next call in this process continues there
 * @returns whether all these clocks are planned
 */
export async function planClocks(
  em: Em,
  projectId: string,
  newOf: string | null,
  signal?: AbortSignal,
  budgetMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > budgetMs;
  // Committed before the contacts are read: rounds plan contacts that change meanwhile up to here (`planTouched`).
  const sql = `update segment_inputs
     set planning_until = now() + interval '${aheadHours} hours', planned_until = coalesce(planned_until, now())
     where project_id = $1 and clock is not null
       and (planned_until < now() + interval '${replanHours} hours' or planned_until is null and input = any(
         array(select unnest(inputs) from segments where project_id = $1 and plan_id = $2)))
     returning input, clock, planned_until as "from", planning_until as until`;
  const clocks = await query(em, plannedRow, sql, [projectId, newOf]);
  const groups = groupClocks(clocks);
  for (const found of groups) {
    if (found !== groups[0] && isOver()) return false;
    const plan = takeInterrupted(projectId, found) ?? createPlan(projectId, found);
    while (await plan.planBatch(em)) {
      signal?.throwIfAborted();
      if (!isOver()) continue;
      interrupted.set(projectId, plan);
      return false;
    }
    await endPlan(em, projectId, plan.group);
  }
  return true;
}

/** The planning of a group; the clocks are those of its first call, beyond which its batches have not been planned. */
interface Plan {
  group: ClockGroup;
  /** Plans the next batch of contacts. @returns whether there are more */
  planBatch: (em: Em) => Promise<boolean>;
}

/** By project, the group in which its last call in this process ran out of time. */
const interrupted = new Map<string, Plan>();

function takeInterrupted(projectId: string, { clocks }: ClockGroup): Plan | undefined {
  const plan = interrupted.get(projectId);
  const key = (planned: readonly PlannedClock[]) =>
    planned
      .map(({ input, from }) => `${input} ${from.toISOString()}`)
      .toSorted()
      .join();
  if (plan === undefined || key(plan.group.clocks) !== key(clocks)) return;
  interrupted.delete(projectId);
  return plan;
}

const createPlan = (projectId: string, group: ClockGroup): Plan => ({
  group,
  planBatch:
    group.clock.of === 'event'
      ? planStatistics(projectId, group, group.clock)
      : planContacts(projectId, group, group.clock),
});

function groupClocks(clocks: readonly PlannedClock[]): ClockGroup[] {
  const groups = Map.groupBy(clocks, ({ clock }) => JSON.stringify({ ...clock, ms: 0 }));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const since = Math.min(...members.map(({ clock, from }) => from.getTime() - clock.ms - 1));
    return [{ clock: first.clock, since: new Date(since), clocks: members }];
  });
}

/** Only up to the end of this plan: another run may still be planning beyond it. */
const endPlan = (em: Em, projectId: string, { clocks }: ClockGroup) =>
  execute(
    em,
    `update segment_inputs i set planned_until = greatest(i.planned_until, p.until)
     from json_to_recordset($2::json) as p(input text, until timestamptz)
     where i.project_id = $1 and i.input = p.input`,
    [projectId, JSON.stringify(clocks.map(({ input, until }) => ({ input, until })))],
  );

function planContacts(projectId: string, group: ClockGroup, clock: ContactClock): Plan['planBatch'] {
  let after: ContactCursor | null = null;
  return async (em) => {
    const from = after;
    const next = await findBatchEnd(em, projectId, from);
    const contacts = (bind: Bind) => `contacts c where c.project_id = $1${boundsSql(from, next, bind)}`;
    await recordClockChanges(em, projectId, group, (bind) => contactInstantsSql(clock, contacts(bind), bind));
    after = next;
    return next !== null;
  };
}

function planStatistics(projectId: string, group: ClockGroup, clock: EventClock): Plan['planBatch'] {
  let after = nilId;
  return async (em) => {
    const from = after;
    const sql = `select contact_id from contact_event_stats where project_id = $1 and name = $2 and contact_id > $3
       order by contact_id limit 1 offset ${contactsPerBatch - 1}`;
    const [end] = await queryColumn(em, z.uuid(), sql, [projectId, clock.name, from]);
    await recordClockChanges(em, projectId, group, (bind) => {
      const upTo = end === undefined ? '' : ` and s.contact_id <= ${bind(end)}::uuid`;
      return eventInstantsSql(
        clock,
        projectId,
        group.since,
        ` and s.contact_id > ${bind(from)}::uuid${upTo}`,
        bind,
      );
    });
    if (end !== undefined) after = end;
    return end !== undefined;
  };
}

/**
 * Plans the clocks of contacts that were touched. The caller evaluates these contacts afterwards.
 *
 * @param touched contacts by input
 * @param hops hops of the touching changes; they carry over to changes by time within an hour
 */
export async function planTouched(
  em: Em,
  projectId: string,
  touched: Touched,
  hops: HopsOfChanges,
): Promise<void> {
  const sql = `select input, clock, now() as "from", greatest(planned_until, planning_until) as until
     from segment_inputs
     where project_id = $1 and clock is not null and planned_until is not null`;
  const clocks = await query(em, plannedRow, sql, [projectId]);
  for (const group of groupClocks(clocks)) {
    const sources = clockSources(group.clock);
    const contacts = new Set(sources.flatMap((input) => [...(touched.get(input) ?? [])]));
    if (contacts.size === 0) continue;
    await recordClockChanges(
      em,
      projectId,
      group,
      (bind) => touchedSql(group, projectId, [...contacts], bind),
      hops,
    );
  }
}

function touchedSql(group: ClockGroup, projectId: string, contacts: readonly string[], bind: Bind): string {
  const ids = `unnest(${bind(contacts)}::uuid[]) t (id)`;
  const { clock, since } = group;
  if (clock.of === 'event') {
    return `select i.* from ${ids}
      cross join lateral (${eventInstantsSql(clock, projectId, since, ' and s.contact_id = t.id', bind)}) i`;
  }
  const byKey = joinByKeySql('contacts c where c.id = t.id and c.project_id = $1');
  return contactInstantsSql(clock, `${ids} cross join lateral (${byKey}) c`, bind);
}

/**
 * A statement, because the contacts stay in the database. The id of a change contains when it is due: the first
 * millisecond at which the value is older than the window. Its distance is in seconds: `uuidv7` would add days in the
 * session's time zone, where one may have 23 hours.
 *
 * @param instantsOf query of (contact_id, instant)
 */
async function recordClockChanges(
  em: Em,
  projectId: string,
  { clocks }: ClockGroup,
  instantsOf: (bind: Bind) => string,
  hops: HopsOfChanges = new Map(),
): Promise<void> {
  const parameters: unknown[] = [
    projectId,
    clocks.map(({ input }) => input),
    clocks.map(({ clock }) => clock.ms + 1),
    clocks.map(({ from }) => from),
    clocks.map(({ until }) => until),
    hopsParameter(hops),
  ];
  const sql = `insert into segment_changes (project_id, id, input, contact_ids, hops)
     select $1, uuidv7(make_interval(secs => extract(epoch from f.at - clock_timestamp())::float8)), f.input,
       array[i.contact_id],
       case when f.at < now() + interval '1 hour' then ${hopsOfContactSql('$6', 'i.contact_id')} end
     from (select * from (${instantsOf(bindInto(parameters))}) i where i.instant is not null offset 0) i
     cross join lateral (
       select w.input, w.after, w.until, i.instant + w.ms * interval '1 millisecond' as at
       from unnest($2::text[], $3::float8[], $4::timestamptz[], $5::timestamptz[]) w (input, ms, after, until)
     ) f
     where f.at > f.after and f.at <= f.until`;
  await audienceQuery(em, 'few', z.object({}), sql, parameters);
}
