import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json-value.ts';
import { upsertContact } from '../../../db/statements/contacts/patch-contact.ts';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import {
  applyProviderEvents,
  type ProviderEventKind,
} from '../../../db/statements/emails/apply-provider-events.ts';
import { trackEvents } from '../../../db/statements/events/track-events.ts';
import { computationStart, computeSegment } from '../../../db/statements/segments/compute-segment.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, providerEvent, trackInput, upsertInput } from '../../../test/setup/inputs.ts';
import { insertDomain, useProject } from '../../../test/setup/projects.ts';
import { insertSegment, planIs, where } from '../../../test/setup/segments.ts';
import { computeTrackedSegment } from '../segments/compute-tracked-segment.ts';
import { evaluateProject } from '../segments/evaluate-project.ts';
import { createGraphCache } from './graph-cache.ts';
import { runStep } from './run-step.ts';
import { graphOf } from './testing/store-graph.ts';

const { em, sql } = useTestDatabase();
const project = useProject(em);

const graphs = createGraphCache();
const email = 'a@example.com';
const everyone = '00000000-0000-0000-0000-000000000000';
const delay = (minutes: number) => ({ type: 'DELAY', config: { amount: minutes, unit: 'minutes' } });
const subscribe = (subscribed: boolean) => ({ type: 'UPDATE_CONTACT', config: { subscribed } });
const setPlan = (plan: string | null) => ({ type: 'UPDATE_CONTACT', config: { data: { plan } } });

/** A workflow with steps in a row; with `loops`, the last one leads back to the first. */
async function addWorkflow(eventName: string, steps: { type: string; config: object }[], loops = false) {
  const id = randomUUID();
  const nodes = [{ type: 'TRIGGER', config: {} }, ...steps].map((step, n) => ({
    id: randomUUID(),
    name: `s${n}`,
    ...step,
  }));
  const { transitions } = graphOf(nodes);
  const back = { id: randomUUID(), fromStepId: nodes.at(-1)?.id, toStepId: nodes[1]?.id, branch: null };
  const graph = { eventName, steps: nodes, transitions: loops ? [...transitions, back] : transitions };
  await sql(
    `with w as (
       insert into workflows (id, project_id, name, enabled, event_name, allow_reentry, version, live_version)
       values ($1, $2, 'W', true, $3, true, 1, 1)
     ),
     l as (insert into event_listeners values ($2, $3, $4, $1, $1))
     insert into workflow_versions (workflow_id, version, graph) values ($1, 1, $5::jsonb)`,
    [id, project.id, eventName, everyone, JSON.stringify(graph)],
  );
  return id;
}

async function sendStep() {
  const id = randomUUID();
  const domain = await insertDomain(em(), project.id);
  await sql(
    `insert into templates (id, project_id, name, subject, body, from_email, type)
     values ($1, $2, 'T', 'Hi', 'Hi', $3, 'TRANSACTIONAL')`,
    [id, project.id, `a@${domain}`],
  );
  return { type: 'SEND_EMAIL', config: { templateId: id } };
}

/**
 * Walks an execution until it waits for an event or ends, through at most `steps` steps; its delays end immediately.
 */
async function walk(id: string, visit: number, steps: number) {
  const look = (at: number) =>
    em().transactional((inner) => runStep(inner, graphs, { executionId: id, visit: at }));
  let answer = await look(visit);
  for (let taken = 1; taken < steps && answer.follow !== 'end' && answer.follow !== 'wait'; taken += 1) {
    if (answer.follow === 'sleep') {
      await sql(`update workflow_executions set resume_at = now() - interval '1 second' where id = $1`, [id]);
    }
    answer = await look(answer.visit);
  }
}

interface Execution {
  id: string;
  visit: number;
  status: string;
  error: string | null;
}
const executions = () =>
  sql<Execution>(
    'select id, visit, status, error from workflow_executions where project_id = $1 order by started_at, id',
    [project.id],
  );

/**
 * Runs everything that is started, with the outside world answering, until nothing more is started or a hundred rounds
 * are over.
 */
async function settle(world: () => Promise<unknown> = async () => {}) {
  const done = new Set<string>();
  for (let round = 0; round < 100; round += 1) {
    const fresh = (await executions()).filter(({ id }) => !done.has(id));
    if (fresh.length === 0 && round > 0) break;
    for (const { id } of fresh) {
      done.add(id);
      await walk(id, 1, 50);
    }
    await world();
  }
  return executions();
}

/** Reports an event for each workflow email that has none reported yet. */
function report(kind: ProviderEventKind) {
  const told = new Set<string>();
  return async () => {
    const emails = await sql<{ id: string }>(
      'select id from emails where project_id = $1 and workflow_id is not null',
      [project.id],
    );
    const fresh = emails.filter(({ id }) => !told.has(id));
    for (const { id } of fresh) {
      told.add(id);
      await applyProviderEvents(em(), [providerEvent(id, kind)]);
    }
    return fresh.length;
  };
}

const flip = (subscribed: boolean) => upsertContact(em(), upsertInput(project.id, email, { subscribed }));

describe('workflows that start each other', () => {
  const refused = expect.stringContaining('Not run: it follows 10 executions');
  const expectEnd = (list: Execution[], ran: number) => {
    expect(list.filter(({ status }) => status === 'COMPLETED')).toHaveLength(ran);
    const others = list.filter(({ status }) => status !== 'COMPLETED');
    expect(others.length).toBeGreaterThan(0);
    for (const one of others) expect(one).toMatchObject({ status: 'FAILED', visit: 0, error: refused });
  };

  it('by changing the subscription are stopped', async () => {
    await addWorkflow('contact.unsubscribed', [subscribe(true)]);
    await addWorkflow('contact.subscribed', [subscribe(false)]);
    await flip(true);
    await flip(false);
    expectEnd(await settle(), 10);
  });

  it('may continue when one of them pauses for a minute', async () => {
    await addWorkflow('contact.unsubscribed', [delay(1), subscribe(true)]);
    await addWorkflow('contact.subscribed', [subscribe(false)]);
    await flip(true);
    await flip(false);
    const list = await settle();
    expect(list.length).toBeGreaterThanOrEqual(100);
    expect(new Set(list.slice(0, 100).map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
  });

  it('may not when the pause is shorter', async () => {
    await addWorkflow('contact.unsubscribed', [delay(0.9), subscribe(true)]);
    await addWorkflow('contact.subscribed', [subscribe(false)]);
    await flip(true);
    await flip(false);
    expectEnd(await settle(), 10);
  });

  it.each(['open', 'click'] as const)('by events of their emails are stopped: %s', async (kind) => {
    await addWorkflow(`email.${kind}`, [await sendStep()]);
    await addWorkflow(`email.${kind}`, [await sendStep()]);
    const [[accepted] = []] = await acceptEmails(em(), [acceptInput(project.id, [email])]);
    await applyProviderEvents(em(), [providerEvent(accepted?.emailId ?? '', kind)]);
    expectEnd(await settle(report(kind)), 20);
  });

  it('by bouncing emails are stopped', async () => {
    await addWorkflow('contact.unsubscribed', [subscribe(true)]);
    await addWorkflow('contact.subscribed', [await sendStep()]);
    await flip(true);
    await flip(false);
    expectEnd(await settle(report('bounce')), 10);
  });

  it('by moving contacts in and out of a segment are stopped', async () => {
    const segmentId = randomUUID();
    const text = { name: 'Pro', description: null, slug: 'pro', trackMembership: true };
    const condition = planIs('pro');
    await insertSegment(em(), { id: segmentId, projectId: project.id, type: 'DYNAMIC', condition, ...text });
    await addWorkflow('segment.pro.entry', [setPlan(null)]);
    await addWorkflow('segment.pro.exit', [setPlan('pro')]);
    await trackEvents(em(), [trackInput(project.id, email, { patch: { plan: 'pro' } })]);
    const compute = () => computeSegment(em(), project.id, segmentId, computationStart, () => {});
    await compute();
    expectEnd(await settle(compute), 10);
    // An action of a person starts a new chain.
    const [{ plan } = {}] = await sql<{ plan: string | null }>(
      `update contacts set data = case when data ? 'plan' then '{}' else '{"plan": "pro"}'::jsonb end, moved_hops = null
       where project_id = $1 returning data ->> 'plan' as plan`,
      [project.id],
    );
    await compute();
    expect((await executions()).at(-1), plan ?? 'none').toMatchObject({ status: 'RUNNING' });
  });
});

describe('workflows that start each other through rounds of a segment', () => {
  async function track(slug: string, condition: Record<string, unknown>) {
    const segmentId = randomUUID();
    const text = { name: slug, description: null, slug, trackMembership: true };
    await insertSegment(em(), {
      id: segmentId,
      projectId: project.id,
      type: 'DYNAMIC',
      condition,
      filterCount: 1,
      ...text,
    });
    // A transaction of another database on the server that writes for ten seconds leaves it stale.
    const tracked = { projectId: project.id, segmentId };
    while ((await computeTrackedSegment(em(), tracked, undefined, () => {}))?.isStale);
  }
  const round = () => evaluateProject(em(), project.id);
  const patchData = (patch: JsonObject) => trackEvents(em(), [trackInput(project.id, email, { patch })]);
  const expectEnd = (list: Execution[]) => {
    expect(list.filter(({ status }) => status === 'COMPLETED')).toHaveLength(10);
    expect(list.slice(10)).toMatchObject([{ status: 'FAILED', visit: 0 }]);
  };

  it('are stopped, whatever a client changes meanwhile', async () => {
    await track('pro', planIs('pro'));
    await addWorkflow('segment.pro.entry', [setPlan(null)]);
    await addWorkflow('segment.pro.exit', [setPlan('pro')]);
    let seen = 0;
    await patchData({ plan: 'pro' });
    expectEnd(
      await settle(async () => {
        seen += 1;
        await patchData({ seen });
        await round();
      }),
    );
  });

  it('are stopped when their events and the time since cause it', async () => {
    const inTheLastMinutes = { operator: 'triggeredWithin', value: 10, unit: 'minutes' };
    await track('back', where({ field: 'event.contact.subscribed', ...inTheLastMinutes }));
    await addWorkflow('segment.back.exit', [subscribe(false), subscribe(true)]);
    await flip(false);
    await flip(true);
    const passing = async () => {
      await round();
      await sql(
        `with passed as (
           update contact_event_stats set last_at = last_at - interval '11 minutes' where project_id = $1
         )
         update segment_changes set id = uuidv7(interval '-1 second') where project_id = $1`,
        [project.id],
      );
      await round();
    };
    await passing();
    expectEnd(await settle(passing));
  });

  it('are stopped when a bounce causes it', async () => {
    await track('out', where({ field: 'subscribed', operator: 'equals', value: false }));
    await addWorkflow('segment.out.entry', [subscribe(true)]);
    await addWorkflow('segment.out.exit', [await sendStep()]);
    const bounce = report('bounce');
    await flip(true);
    await flip(false);
    expectEnd(
      await settle(async () => {
        await bounce();
        await round();
      }),
    );
  });

  it('run every time a client causes it', async () => {
    await track('pro', planIs('pro'));
    await addWorkflow('segment.pro.entry', [setPlan(null)]);
    for (let time = 0; time < 12; time += 1) {
      await patchData({ plan: 'pro' });
      await settle(round);
    }
    const ended = (await executions()).map(({ status }) => status);
    expect(ended).toEqual(Array.from({ length: 12 }, () => 'COMPLETED'));
  });
});

describe('a graph with a loop', () => {
  const stopped = expect.stringContaining('Stopped: 100 steps without a pause');
  const start = async () => {
    await trackEvents(em(), [trackInput(project.id, email)]);
    return (await executions())[0]?.id ?? '';
  };

  it('stored when half a minute was enough is stopped', async () => {
    await addWorkflow('signed_up', [delay(0.5), setPlan('pro')], true);
    await walk(await start(), 1, 1_000);
    expect(await executions()).toMatchObject([{ status: 'FAILED', visit: 100, error: stopped }]);
  });

  it('with a pause of a minute continues', async () => {
    await addWorkflow('signed_up', [delay(1), setPlan('pro')], true);
    await walk(await start(), 1, 500);
    const [execution] = await executions();
    expect(execution?.error).toBeNull();
    expect(execution?.visit).toBeGreaterThan(250);
  });

  it('driven by events of its own emails is stopped', async () => {
    const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'email.sent' } };
    await addWorkflow('signed_up', [await sendStep(), wait], true);
    const id = await start();
    const world = report('send');
    await walk(id, 1, 10);
    for (let round = 0; round < 100 && (await world()) > 0; round += 1) {
      await walk(id, (await executions())[0]?.visit ?? 0, 10);
    }
    expect(await executions()).toMatchObject([{ status: 'FAILED', visit: 100, error: stopped }]);
  });

  it('driven by a person continues', async () => {
    const wait = { type: 'WAIT_FOR_EVENT', config: { eventName: 'paid' } };
    await addWorkflow('signed_up', [setPlan('pro'), wait], true);
    const id = await start();
    await walk(id, 1, 10);
    for (let round = 0; round < 60; round += 1) {
      await trackEvents(em(), [trackInput(project.id, email, { eventName: 'paid' })]);
      await walk(id, (await executions())[0]?.visit ?? 0, 10);
    }
    expect(await executions()).toMatchObject([{ status: 'WAITING', visit: 122, error: null }]);
  });
});
