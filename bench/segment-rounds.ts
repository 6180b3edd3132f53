import { performance } from 'node:perf_hooks';
import { v7 as uuidv7 } from 'uuid';
import { trackEvents } from '../db/statements/events/track-events.ts';
import { computationStart, computeSegment } from '../db/statements/segments/compute-segment.ts';
import { planClocks } from '../db/statements/segments/plan-clocks.ts';
import { planSegment } from '../db/statements/segments/plan-segment.ts';
import { sql } from '../db/testing/sql.ts';
import { evaluateProject } from '../temporal/activities/segments/evaluate-project.ts';
import type { BenchStack } from './bench-stack.ts';
import { all, any } from './conditions.ts';
import { measureCpu } from './cpu-per-item.ts';
import type { Figure } from './report.ts';

const segments = 1_000;
/** 1 % of a million contacts: the changes of a minute. */
const touchedPerMinute = 10_000;
const eventNames = ['product viewed', 'order placed', 'cart abandoned', 'app opened'];
const plans = ['free', 'pro', 'business', 'enterprise'];
const countries = ['DE', 'FR', 'US', 'GB', 'ES', 'IT', 'NL', 'PT', 'AT', 'CH'];

const at = (list: readonly string[], n: number) => list[n % list.length] ?? '';

/** Segments that other segments refer to: a static one and a dynamic one. */
interface Named {
  picked: string;
  paying: string;
}

/**
 * Ten kinds of conditions, for a tenth of the segments each. Four of ten change by time alone, in some 220 different
 * ways; two of ten refer to another segment, two have groups joined by OR.
 */
function conditionOf(n: number, { picked, paying }: Named) {
  const m = Math.floor(n / 10);
  const event = `event.${at(eventNames, m)}`;
  const country = { field: 'data.country', operator: 'equals', value: at(countries, m) };
  const plan = { field: 'data.plan', operator: 'equals', value: at(plans, m) };
  switch (n % 10) {
    case 0:
      return all(plan, country);
    case 1:
      return any([{ field: 'data.age', operator: 'lessThan', value: 18 + (m % 60) }], [plan, country]);
    case 2:
      return all({ field: event, operator: 'triggered' }, country);
    case 3:
      return all({ field: event, operator: 'triggeredWithin', value: 1 + (m % 30) }, country);
    case 4:
      return all({ field: event, operator: 'countGreaterThan', value: m % 5, within: 30 });
    case 5:
      return any(
        [{ field: 'data.lastSeen', operator: 'within', value: 1 + (m % 90) }],
        [
          { field: event, operator: 'triggered' },
          { field: 'data.plan', operator: 'notEquals', value: 'free' },
        ],
      );
    case 6:
      return all({ field: 'data.signupDate', operator: 'olderThan', value: 1 + m }, country);
    case 7:
      return all(
        { field: `segment.${picked}`, operator: m % 2 === 0 ? 'memberOfSegment' : 'notMemberOfSegment' },
        { field: 'data.address.city', operator: 'equals', value: 'Berlin' },
        country,
      );
    case 8:
      return all({ field: event, operator: 'notTriggered' }, country);
    default:
      return all(
        { field: `segment.${paying}`, operator: 'memberOfSegment' },
        { field: 'data.orders', operator: 'greaterThan', value: m % 40 },
        country,
      );
  }
}

/** A tenth of the contacts is picked. */
async function addNamed({ orm, project }: BenchStack): Promise<Named> {
  const em = orm.em.fork();
  const [picked, paying] = [uuidv7(), uuidv7()];
  const condition = all({ field: 'data.plan', operator: 'notEquals', value: 'free' });
  await sql(
    em,
    `insert into segments (id, project_id, name, type, slug, condition, track_membership)
     values ($2, $1, 'Picked', 'STATIC', 'picked', null, false),
       ($3, $1, 'Paying', 'DYNAMIC', 'paying', $4::jsonb, false)`,
    [project.id, picked, paying, JSON.stringify(condition)],
  );
  await sql(
    em,
    `insert into segment_members (segment_id, contact_id)
     select $2, id from contacts where project_id = $1 and hashtext(id::text) % 10 = 1`,
    [project.id, picked],
  );
  return { picked, paying };
}

async function addSegments(stack: BenchStack): Promise<void> {
  const { orm, project } = stack;
  const em = orm.em.fork();
  const named = await addNamed(stack);
  const rows = Array.from({ length: segments }, (_, n) => {
    const condition = conditionOf(n, named);
    const refersTo = Object.values(named).filter((id) => JSON.stringify(condition).includes(id));
    return { id: uuidv7(), n, condition, refers_to: refersTo };
  });
  await sql(
    em,
    `insert into segments (id, project_id, name, type, slug, condition, track_membership, is_current, refers_to)
     select id, $1, 'Segment ' || n, 'DYNAMIC', 'segment-' || n, condition, true, true, refers_to
     from json_to_recordset($2::json) as t(id uuid, n int, condition jsonb, refers_to uuid[])`,
    [project.id, JSON.stringify(rows)],
  );
  for (const { id } of rows) await planSegment(em, project.id, id);
  // Due for the plan of the day.
  await sql(
    em,
    'update segment_inputs set planned_until = now() where project_id = $1 and clock is not null',
    [project.id],
  );
}

/** The changes of a minute: half of the contacts get an event, half a change of a field. */
export async function touch(
  { orm, project }: BenchStack,
  minute: number,
  count = touchedPerMinute,
): Promise<void> {
  const contacts = await sql<{ id: string; email: string }>(
    orm.em.fork(),
    `select id, email from contacts where project_id = $1 order by hashtext(id::text) limit $2`,
    [project.id, count],
  );
  const inputs = contacts.map(({ id, email }, n) => ({
    projectId: project.id,
    email,
    contactId: id,
    subscribed: undefined,
    patch: n % 2 === 0 ? {} : patchOf(n, minute),
    eventId: uuidv7(),
    eventName: n % 2 === 0 ? at(eventNames, n >> 1) : 'profile saved',
    eventData: {},
    flipId: uuidv7(),
    occurredAt: new Date(),
  }));
  for (let from = 0; from < inputs.length; from += 50) {
    await trackEvents(orm.em.fork(), inputs.slice(from, from + 50));
  }
}

function patchOf(n: number, minute: number) {
  switch ((n >> 1) % 4) {
    case 0:
      return { plan: at(plans, n + minute) };
    case 1:
      return { country: at(countries, n + minute) };
    case 2:
      return { age: 18 + ((n + minute) % 60) };
    default:
      return { lastSeen: new Date().toISOString() };
  }
}

/** Measures wall time and the CPU seconds of this process, which does the worker's part, and of Postgres. */
export async function measureSeconds({ postgresPid }: BenchStack, work: () => Promise<unknown>) {
  const cpu = measureCpu({ postgres: postgresPid });
  const startedAt = performance.now();
  await work();
  const used = cpu(1);
  const secondsOf = (name: string) => (used[name] ?? 0) / 1e6;
  const [worker, postgres] = [secondsOf('bench'), secondsOf('postgres')];
  return { wall: (performance.now() - startedAt) / 1000, worker, postgres, both: worker + postgres };
}

/** A round, in as many turns as it takes. */
export async function measureRound(stack: BenchStack) {
  const total = { changes: 0, added: 0, removed: 0, failed: 0, turns: 0 };
  const seconds = await measureSeconds(stack, async () => {
    for (let isOver = false; !isOver; ) {
      const turn = await evaluateProject(stack.orm.em.fork(), stack.project.id);
      isOver = turn.changes === 0;
      total.changes += turn.changes;
      total.added += turn.added;
      total.removed += turn.removed;
      total.failed += turn.failed;
      total.turns += 1;
    }
  });
  return { ...total, ...seconds };
}

/** Cost of evaluating all segments among all contacts, extrapolated from one segment of each kind. */
async function measureFull(stack: BenchStack): Promise<number> {
  const ids = await sql<{ id: string }>(
    stack.orm.em.fork(),
    `select id from segments where project_id = $1 and slug like 'segment-50_'`,
    [stack.project.id],
  );
  const compute = async () => {
    for (const { id } of ids) {
      await computeSegment(stack.orm.em.fork(), stack.project.id, id, computationStart, () => undefined);
    }
  };
  // The first run stores the members.
  await compute();
  const seconds = await measureSeconds(stack, compute);
  return (seconds.both / ids.length) * segments;
}

/**
 * The first minute only gives the touched contacts their memberships, which a full computation of all segments would
 * have done; the second minute is measured.
 */
export async function* measureRounds(stack: BenchStack): AsyncGenerator<Figure> {
  const { orm, project } = stack;
  await addSegments(stack);
  const planned = await measureSeconds(stack, () => planClocks(orm.em.fork(), project.id, null));
  // Changes due in the next minutes are part of the round.
  await touch(stack, 0);
  await measureRound(stack);
  await touch(stack, 1);
  const round = await measureRound(stack);
  yield {
    work: `round of ${segments} tracked segments, 1 % touched`,
    value: round.both,
    unit: 's CPU',
    bar: { below: 30 },
    limits: [{ what: 'half a core, of a minute', value: 30 }],
    note:
      `worker ${round.worker.toFixed(1)} s, Postgres ${round.postgres.toFixed(1)} s, in ${round.turns} turns of ` +
      `${round.wall.toFixed(1)} s; ${round.changes.toLocaleString('en-US')} changes, ${round.added} entries, ` +
      `${round.removed} exits, ${round.failed} failed; planning the changes by time ${planned.both.toFixed(0)} s CPU a day`,
  };
  const quiet = await measureRound(stack);
  yield { work: 'the next round, nothing touched', value: quiet.both * 1000, unit: 'ms CPU' };
  yield {
    work: `the same segments among all contacts`,
    value: await measureFull(stack),
    unit: 's CPU',
    note: 'from one of each kind',
  };
}
