import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eraseContactTraces } from '../db/statements/contacts/contact-erasures.ts';
import { sql } from '../db/testing/sql.ts';
import { newSegmentComputation, newSegmentCount, newSegmentRounds } from '../temporal/contracts/segments.ts';
import { eventually } from './setup/eventually.ts';
import { findWrongCounts, readSegmentEvents } from './setup/read-database.ts';
import {
  address,
  createSegment,
  memberOf,
  notMemberOf,
  planIs,
  putContact,
  where,
} from './setup/segments.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking } from './setup/until-blocking.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const events = () => readSegmentEvents(stack.em(), sender.projectId);

async function compute(id: string): Promise<{ added: number; removed: number; total: number }> {
  const { status, body } = await sender.post(`/segments/${id}/compute`, undefined);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function memberRows(id: string): Promise<number> {
  return (await stack.sql('select 1 from segment_members where segment_id = $1', [id])).length;
}

describe('POST /segments/:id/compute', () => {
  it('answers 404 when the segment is deleted meanwhile', async () => {
    const { id } = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    let computing: ReturnType<typeof sender.post> | undefined;
    await stack.em().transactional(async (em) => {
      await sql(em, 'delete from segments where id = $1', [id]);
      computing = sender.post(`/segments/${id}/compute`, undefined);
      await untilBlocking(em);
    });
    const answer = await computing;
    expect([answer?.status, answer?.body.error.message]).toEqual([404, 'Segment not found']);
  });

  it('emits an entry for everyone at first, then one event per change', async () => {
    for (const index of [1, 2, 3]) await putContact(sender, index, index < 3 ? 'pro' : 'free');
    const values = { name: 'Pro plan', condition: planIs('pro'), trackMembership: true };
    const { id } = await createSegment(sender, values);
    expect(await events()).toEqual([]);
    expect(await compute(id)).toEqual({ added: 2, removed: 0, total: 2 });
    expect(await compute(id)).toEqual({ added: 0, removed: 0, total: 2 });
    await putContact(sender, 1, 'free');
    await putContact(sender, 3, 'pro');
    expect(await compute(id)).toEqual({ added: 1, removed: 1, total: 2 });
    const seen = await events();
    expect(seen.slice(0, 2).toSorted()).toEqual([1, 2].map((n) => `segment.pro-plan.entry ${address(n)}`));
    expect(seen.slice(2).toSorted()).toEqual([
      `segment.pro-plan.entry ${address(3)}`,
      `segment.pro-plan.exit ${address(1)}`,
    ]);
    expect((await sender.get(`/segments/${id}`)).body.memberCount).toBe(2);
    const rows = await stack.sql(
      `select distinct kind, data from events where project_id = $1 and name like 'segment.%'`,
      [sender.projectId],
    );
    expect(rows).toEqual([{ kind: 'emitted', data: { segmentId: id, segmentName: 'Pro plan' } }]);
    expect(await findWrongCounts(stack.em(), sender.projectId)).toEqual([]);
  });

  it('is refused with 400 for segments that are static or not tracked', async () => {
    for (const values of [{ type: 'STATIC', trackMembership: true }, { condition: planIs('pro') }]) {
      const { id } = await createSegment(sender, values);
      const answer = await sender.post(`/segments/${id}/compute`, undefined);
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('BAD_REQUEST');
    }
  });

  it('emits the differences after a change of the condition', async () => {
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    const { id } = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    await compute(id);
    await sender.patch(`/segments/${id}`, { condition: planIs('free') });
    expect(await compute(id)).toEqual({ added: 1, removed: 1, total: 1 });
  });

  it('removes deleted contacts without an event', async () => {
    const ada = await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'pro');
    const { id } = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    await compute(id);
    await sender.delete(`/contacts/${ada}`);
    expect(await compute(id)).toEqual({ added: 0, removed: 0, total: 1 });
    expect(await memberRows(id)).toBe(1);
    const names = await stack.sql(`select name from events where project_id = $1 and name like '%exit'`, [
      sender.projectId,
    ]);
    expect(names).toEqual([]);
  });

  it('starts over when tracking is turned off and on again', async () => {
    await putContact(sender, 1, 'pro');
    const { id } = await createSegment(sender, { condition: planIs('pro'), trackMembership: true });
    await compute(id);
    await sender.patch(`/segments/${id}`, { trackMembership: false });
    expect(await memberRows(id)).toBe(0);
    expect((await sender.get(`/segments/${id}/contacts`)).body.total).toBe(1);
    // The state that a killed process leaves.
    await stack.sql('insert into segment_members (segment_id, contact_id) select $1, id from contacts', [id]);
    await sender.patch(`/segments/${id}`, { trackMembership: true });
    expect(await compute(id)).toEqual({ added: 1, removed: 0, total: 1 });
    // Turning tracking on again forgets nothing.
    await sender.patch(`/segments/${id}`, { trackMembership: true });
    expect(await compute(id)).toEqual({ added: 0, removed: 0, total: 1 });
    expect(await events()).toHaveLength(2);
  });

  it('feeds segments that read its events and its members', async () => {
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    const pro = await createSegment(sender, { name: 'Pro', condition: planIs('pro'), trackMembership: true });
    const onceEntered = where({ field: 'event.segment.pro.entry', operator: 'triggered' });
    const former = await createSegment(sender, {
      name: 'Former',
      condition: { logic: 'AND', groups: [...onceEntered.groups, ...notMemberOf(pro.id).groups] },
      trackMembership: true,
    });
    const same = await createSegment(sender, {
      name: 'Same',
      condition: memberOf(pro.id),
      trackMembership: true,
    });
    await compute(pro.id);
    await putContact(sender, 1, 'free');
    expect(await compute(same.id)).toEqual({ added: 0, removed: 0, total: 0 });
    expect(await compute(former.id)).toEqual({ added: 1, removed: 0, total: 1 });
    await putContact(sender, 1, 'pro');
    expect(await compute(former.id)).toEqual({ added: 0, removed: 1, total: 0 });
    expect(await compute(same.id)).toEqual({ added: 1, removed: 0, total: 1 });
  });
});

/** Deleted contacts are excluded: they have journal rows but no statistics. */
async function wrongCountsOfPresent(): Promise<unknown[]> {
  const contacts = await stack.sql<{ id: string }>('select id from contacts where project_id = $1', [
    sender.projectId,
  ]);
  const present = new Set(contacts.map(({ id }) => id));
  const wrong = await findWrongCounts(stack.em(), sender.projectId);
  return wrong.filter(({ contactId }) => present.has(contactId));
}

describe('several computations at once', () => {
  it('emit one event per change, while contacts are created, changed and deleted', async () => {
    const contacts = Array.from({ length: 40 }, (_, index) => index);
    for (const index of contacts) await putContact(sender, index, index % 2 ? 'pro' : 'free');
    const { id } = await createSegment(sender, {
      name: 'Pro',
      condition: planIs('pro'),
      trackMembership: true,
    });
    const list = await createSegment(sender, { name: 'List', type: 'STATIC', trackMembership: true });
    let isOver = false;
    const answers: { added: number; removed: number }[] = [];
    const computing = Array.from({ length: 4 }, async () => {
      while (!isOver) answers.push(await compute(id));
    });
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const changing = Array.from({ length: 4 }, async () => {
      for (let step = 0; step < 30; step += 1) {
        const index = random(contacts.length);
        if (random(8) === 0) {
          const found = await sender.get(`/contacts?search=${address(index)}`);
          if (found.body.data[0]) await sender.delete(`/contacts/${found.body.data[0].id}`);
        } else {
          // 404 if another call deleted the contact before this one was answered.
          await sender.post('/contacts', {
            email: address(index),
            data: { plan: random(2) ? 'pro' : 'free' },
          });
          await sender.post(`/segments/${list.id}/members`, { emails: [address(random(contacts.length))] });
        }
      }
    });
    await Promise.all(changing);
    isOver = true;
    await Promise.all(computing);
    answers.push(await compute(id));

    // The events of each contact start with an entry and alternate, and the last one matches its current membership.
    const histories = await stack.sql<{ plan: string; names: string[] | null; isMember: boolean }>(
      `select c.data ->> 'plan' as plan,
         (select array_agg(e.name order by e.occurred_at, e.id) from events e
          where e.contact_id = c.id and e.name like 'segment.pro.%') as names,
         exists (select from segment_members m where m.segment_id = $2 and m.contact_id = c.id) as "isMember"
       from contacts c where c.project_id = $1`,
      [sender.projectId, id],
    );
    expect(histories.length).toBeGreaterThan(20);
    for (const { plan, names, isMember } of histories) {
      const history = names ?? [];
      const turns = history.map((_name, index) => `segment.pro.${index % 2 ? 'exit' : 'entry'}`);
      expect(history).toEqual(turns);
      expect(isMember).toBe(plan === 'pro');
      expect(history.length % 2 === 1).toBe(isMember);
    }
    const emitted = await stack.sql<{ name: string }>(
      `select name from events where project_id = $1 and name like 'segment.pro.%'`,
      [sender.projectId],
    );
    const sum = (key: 'added' | 'removed') => answers.reduce((total, answer) => total + answer[key], 0);
    expect(emitted.filter(({ name }) => name.endsWith('entry'))).toHaveLength(sum('added'));
    expect(emitted.filter(({ name }) => name.endsWith('exit'))).toHaveLength(sum('removed'));
    expect(await wrongCountsOfPresent()).toEqual([]);
    // Deleted contacts are not members, even if they entered at that moment.
    const members = await stack.sql(
      `select contact_id from segment_members
       where segment_id = any($1::uuid[]) and contact_id not in (select id from contacts where project_id = $2)`,
      [[id, list.id], sender.projectId],
    );
    expect(members).toEqual([]);
    // The count of an exit that was written concurrently stays until the contact's erasure.
    const erasures = await stack.sql<{ id: string }>(
      'select contact_id as id from contact_erasures where project_id = $1',
      [sender.projectId],
    );
    await eraseContactTraces(
      stack.em(),
      sender.projectId,
      erasures.map((erasure) => erasure.id),
    );
    const counts = await stack.sql(
      `select contact_id from contact_event_stats where project_id = $1 and name like 'segment.%'
         and contact_id not in (select id from contacts where project_id = $1)`,
      [sender.projectId],
    );
    expect(counts).toEqual([]);
  });
});

describe('the rounds of the schedules', () => {
  /** Runs a workflow on this product's own task queue, because other products of the test run share the schedules. */
  async function run(type: string, input: unknown): Promise<unknown> {
    const { temporal, config } = stack.product.resources;
    const workflow = { taskQueue: config.TEMPORAL_TASK_QUEUE, workflowId: randomUUID(), args: [input] };
    return temporal.workflow.execute(type, workflow);
  }

  it('are due as often as the configuration says, and stay paused', async () => {
    const { temporal, config } = stack.product.resources;
    for (const [id, type, everyMs] of [
      ['segments/computation', 'segmentComputation', config.SEGMENT_COMPUTE_INTERVAL_MINUTES * 60_000],
      ['segments/changes', 'segmentRounds', config.SEGMENT_ROUND_INTERVAL_SECONDS * 1000],
      ['segments/count', 'segmentCount', config.SEGMENT_COUNT_INTERVAL_MINUTES * 60_000],
    ] as const) {
      const { action, policies, state } = await eventually(
        () => temporal.schedule.getHandle(id).describe(),
        ({ spec }) => spec.intervals?.length === 1 && spec.intervals[0]?.every === everyMs,
      );
      expect(action).toMatchObject({ type: 'startWorkflow', workflowType: type, workflowId: id });
      expect(policies.overlap).toBe('SKIP');
      expect(state.paused).toBe(true);
    }
  });

  it('compute every tracked segment and count the others', async () => {
    const made = await createSegment(sender, {
      name: 'Pro',
      condition: planIs('pro'),
      trackMembership: true,
    });
    const counted = await createSegment(sender, { name: 'Free', condition: planIs('free') });
    await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    expect(await run('segmentComputation', newSegmentComputation)).toMatchObject({ failed: 0 });
    expect(await run('segmentCount', newSegmentCount)).toMatchObject({ failed: 0 });
    const countOf = async (id: string) => (await sender.get(`/segments/${id}`)).body.memberCount;
    expect([await countOf(made.id), await countOf(counted.id)]).toEqual([1, 1]);
    expect(await events()).toEqual([`segment.pro.entry ${address(1)}`]);
  });

  it('evaluate what the API changes: data, events, subscriptions, members, deletions', async () => {
    const tracked = async (name: string, condition: object) =>
      (await createSegment(sender, { name, condition, trackMembership: true })).id;
    const list = await createSegment(sender, { name: 'List', type: 'STATIC' });
    const pro = await tracked('Pro', planIs('pro'));
    await tracked('Buyers', where({ field: 'event.bought', operator: 'triggered' }));
    await tracked('Gone', where({ field: 'subscribed', operator: 'equals', value: false }));
    await tracked('Listed', memberOf(list.id));
    expect(await run('segmentComputation', newSegmentComputation)).toMatchObject({ failed: 0 });
    expect(await events()).toEqual([]);
    const rounds = () => run('segmentRounds', newSegmentRounds);

    const first = await putContact(sender, 1, 'pro');
    await putContact(sender, 2, 'free');
    await sender.post('/v1/track', { email: address(2), event: 'bought' });
    await sender.patch(`/contacts/${first}`, { subscribed: false });
    await sender.post(`/segments/${list.id}/members`, { emails: [address(2)] });
    expect(await rounds()).toMatchObject({ failed: 0 });
    expect((await events()).toSorted()).toEqual([
      `segment.buyers.entry ${address(2)}`,
      `segment.gone.entry ${address(1)}`,
      `segment.listed.entry ${address(2)}`,
      `segment.pro.entry ${address(1)}`,
    ]);
    const countOf = async (id: string) => (await sender.get(`/segments/${id}`)).body.memberCount;
    expect(await countOf(pro)).toBe(1);

    // Their turn lasts some milliseconds longer.
    await stack.sql('delete from segment_rounds where project_id = $1', [sender.projectId]);
    await sender.delete('/events/bought');
    await sender.delete(`/contacts/${first}`);
    expect(await rounds()).toMatchObject({ failed: 0 });
    // The deleted contact's events are no longer listed, and it has no exit.
    expect((await events()).filter((event) => event.includes('exit'))).toEqual([
      `segment.buyers.exit ${address(2)}`,
    ]);
    expect(await run('segmentCount', newSegmentCount)).toMatchObject({ failed: 0 });
    expect(await countOf(pro)).toBe(0);
  });
});
