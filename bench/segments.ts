import { performance } from 'node:perf_hooks';
import { v7 as uuidv7 } from 'uuid';
import { parseCondition } from '../core/conditions/parse-condition.ts';
import { type Audience, conditionAudience } from '../db/conditions/audience.ts';
import { matchContact } from '../db/conditions/match-contact.ts';
import { countAudience, listAudience } from '../db/statements/segments/audience-contacts.ts';
import { computationStart, computeSegment } from '../db/statements/segments/compute-segment.ts';
import { sql } from '../db/testing/sql.ts';
import { fillAudience } from './audience-data.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { all, any, type Filter } from './conditions.ts';
import { percentile } from './percentile.ts';
import { type BenchRun, type Figure, reportEach } from './report.ts';
import { measureRounds } from './segment-rounds.ts';

const filter = (field: string, operator: string, value?: unknown, more: Filter = {}): Filter => ({
  field,
  operator,
  value,
  ...more,
});

const three = all(
  filter('data.plan', 'equals', 'pro'),
  filter('data.signupDate', 'within', 180),
  filter('event.order placed', 'triggered'),
);

/** Written by hand by someone who knows the data: text compared as text, a join, no check whether a value is a date. */
const byHand = `
  from contacts c
  where c.project_id = $1 and c.data ->> 'plan' = 'pro' and c.data ->> 'signupDate' >= $2
    and exists (select from contact_event_stats s
      where s.project_id = $1 and s.name = 'order placed' and s.contact_id = c.id)`;

const shapes: readonly [string, unknown][] = [
  [
    'an event within 30 days, a date, a word',
    all(
      filter('data.country', 'equals', 'DE'),
      filter('data.lastSeen', 'within', 90),
      filter('event.product viewed', 'triggeredWithin', 30),
    ),
  ],
  [
    'three groups joined by OR, two with events',
    any(
      [filter('data.plan', 'equals', 'pro'), filter('data.country', 'equals', 'US')],
      [filter('data.age', 'lessThan', 30), filter('event.app opened', 'triggered')],
      [filter('email.opened', 'triggeredWithin', 7)],
    ),
  ],
  ['never ordered', all(filter('event.order placed', 'notTriggered'))],
  ['more than twice, ever', all(filter('event.product viewed', 'countGreaterThan', 2))],
  ['more than once in 30 days', all(filter('event.product viewed', 'countGreaterThan', 1, { within: 30 }))],
  ['less than twice in 90 days', all(filter('event.product viewed', 'countLessThan', 2, { within: 90 }))],
  ['a part of the address', all(filter('email', 'contains', 'shop'))],
  ['a date long ago', all(filter('data.lastSeen', 'olderThan', 200))],
];

async function median(times: number, work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now();
    await work();
    durations.push(performance.now() - startedAt);
  }
  return percentile(durations, 0.5);
}

async function audienceOf({ orm, project }: BenchStack, raw: unknown): Promise<Audience> {
  return conditionAudience(orm.em.fork(), project.id, conditionOf(raw));
}

function conditionOf(raw: unknown) {
  const parsed = parseCondition(raw);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.condition;
}

async function measureShape(stack: BenchStack, raw: unknown) {
  const { orm, project } = stack;
  const audience = await audienceOf(stack, raw);
  const count = () => countAudience(orm.em.fork(), project.id, audience);
  const page = () => listAudience(orm.em.fork(), project.id, audience, { limit: 100, offset: 0 });
  const members = await count();
  return { members, countMs: await median(3, count), pageMs: await median(5, page) };
}

async function* measureThree(stack: BenchStack): AsyncGenerator<Figure> {
  const { members, countMs, pageMs } = await measureShape(stack, three);
  const from = new Date(Date.now() - 180 * 86_400_000).toISOString();
  const parameters = [stack.project.id, from];
  const run = (text: string) => () => sql(stack.orm.em.fork(), text, parameters);
  const countByHand = await median(3, run(`select count(*) ${byHand}`));
  const pageByHand = await median(
    5,
    run(`select c.* ${byHand} order by c.created_at desc, c.id desc limit 100`),
  );
  yield {
    work: 'count of three filters (word, date, event)',
    value: countMs,
    unit: 'ms',
    bar: { below: 800 },
    limits: [{ what: 'the same by hand', value: countByHand }],
    note: `${members.toLocaleString('en-US')} of 1,000,000 contacts`,
  };
  yield {
    work: 'page of 100 of its members',
    value: pageMs,
    unit: 'ms',
    bar: { below: 50 },
    limits: [{ what: 'the same by hand', value: pageByHand }],
  };
}

async function* measureNested(stack: BenchStack): AsyncGenerator<Figure> {
  const { orm, project } = stack;
  const [fixed, nested] = [uuidv7(), uuidv7()];
  const condition = all(
    filter(`segment.${fixed}`, 'memberOfSegment'),
    filter('data.plan', 'notEquals', 'free'),
  );
  await sql(
    orm.em.fork(),
    `insert into segments (id, project_id, name, type, slug, condition, track_membership, refers_to)
     values ($2, $1, 'Fixed', 'STATIC', 'fixed', null, false, '{}'),
       ($3, $1, 'Nested', 'DYNAMIC', 'nested', $4::jsonb, true, array[$2::uuid])`,
    [project.id, fixed, nested, JSON.stringify(condition)],
  );
  await sql(
    orm.em.fork(),
    `insert into segment_members (segment_id, contact_id)
     select $2, id from contacts where project_id = $1 and hashtext(id::text) % 10 = 0`,
    [project.id, fixed],
  );
  await sql(orm.em.fork(), 'analyze segment_members');
  const outer = all(filter(`segment.${nested}`, 'memberOfSegment'), filter('subscribed', 'equals', true));
  const { members, countMs, pageMs } = await measureShape(stack, outer);
  const compute = async () => {
    const startedAt = performance.now();
    const done = await computeSegment(orm.em.fork(), project.id, nested, computationStart, () => undefined);
    return { seconds: (performance.now() - startedAt) / 1000, added: done?.added ?? 0 };
  };
  const first = await compute();
  const second = await compute();
  yield {
    work: 'count: members of a segment that names another',
    value: countMs,
    unit: 'ms',
    note: `${members.toLocaleString('en-US')} members; page ${pageMs.toFixed(1)} ms`,
  };
  yield {
    work: 'first computation of a tracked segment',
    value: first.seconds,
    unit: 's',
    note: `${first.added.toLocaleString('en-US')} entered; again without a change ${second.seconds.toFixed(1)} s`,
  };
}

async function measureSingle({ orm, project }: BenchStack): Promise<Figure> {
  const condition = conditionOf(three);
  const rows = await sql<{ id: string }>(
    orm.em.fork(),
    'select id from contacts where project_id = $1 order by created_at desc limit 500',
    [project.id],
  );
  const startedAt = performance.now();
  for (const { id } of rows) {
    const now = new Date();
    await matchContact(orm.em.fork(), project.id, id, condition, now);
  }
  const value = (performance.now() - startedAt) / rows.length;
  return { work: 'one contact, as a CONDITION step asks', value, unit: 'ms' };
}

async function* measure(stack: BenchStack): AsyncGenerator<Figure> {
  await fillAudience(stack.databaseUrl, stack.project.id);
  yield* measureThree(stack);
  for (const [name, raw] of shapes) {
    const { members, countMs, pageMs } = await measureShape(stack, raw);
    const note = `${members.toLocaleString('en-US')} members; page ${pageMs.toFixed(1)} ms`;
    yield { work: `count: ${name}`, value: countMs, unit: 'ms', note };
  }
  yield* measureNested(stack);
  yield await measureSingle(stack);
  yield* measureRounds(stack);
}

export function benchSegments({ report }: BenchRun): Promise<void> {
  return withBenchStack((stack) => reportEach(measure(stack), report));
}
