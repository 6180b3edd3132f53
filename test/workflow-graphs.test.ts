import { describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { parseGraph } from '../core/workflows/graph.ts';
import { allProjects } from '../db/entities/project-em.ts';
import { Workflow, WorkflowVersion } from '../db/entities/workflow.ts';
import { lockRecord } from '../db/lock-record.ts';
import { startExecution } from '../db/statements/workflows/start-execution.ts';
import { callApi } from './setup/people.ts';
import { createSegment, memberOf, planIs } from './setup/segments.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';
import { unknownId } from './setup/unknown-id.ts';
import {
  addStep,
  arrowsOf,
  connect,
  createContact,
  createWorkflow,
  readWorkflow,
} from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const delay = { type: 'DELAY', config: { amount: 1, unit: 'days' } };

async function graphOf(id: string, version: number) {
  const stored = await stack.em().findOne(WorkflowVersion, { workflowId: id, version });
  return stored === null ? undefined : parseGraph(stored.graph);
}

/** A trigger that leads to a condition, whose branches lead to a one-day delay and to an exit. */
async function createBranching() {
  const { id, steps } = await createWorkflow(sender);
  const ask = await addStep(sender, id, {
    type: 'CONDITION',
    name: 'Ask',
    config: planIs('pro'),
    autoConnect: steps[0].id,
  });
  const day = await addStep(sender, id, { ...delay, name: 'Day', autoConnect: ask.id });
  const exit = await addStep(sender, id, { type: 'EXIT', name: 'Out', autoConnect: ask.id });
  return { id, trigger: steps[0], ask, day, exit };
}

describe('a step', () => {
  it('is added after another, on the first free branch', async () => {
    const { id, ask } = await createBranching();
    expect(await arrowsOf(sender, id)).toEqual(['Ask -no> Out', 'Ask -yes> Day', 'Trigger -> Ask']);
    const full = await sender.post(`/workflows/${id}/steps`, { type: 'EXIT', autoConnect: ask.id });
    expect(full.status).toBe(409);
    expect((await readWorkflow(sender, id)).steps).toHaveLength(4);
  });

  it('is added on the given branch', async () => {
    const { id, steps } = await createWorkflow(sender);
    const wait = await addStep(sender, id, {
      type: 'WAIT_FOR_EVENT',
      name: 'Wait',
      autoConnect: steps[0].id,
    });
    await addStep(sender, id, { type: 'EXIT', name: 'Late', autoConnect: wait.id, branch: 'timeout' });
    await addStep(sender, id, { type: 'EXIT', name: 'Done', autoConnect: wait.id });
    expect(await arrowsOf(sender, id)).toEqual([
      'Trigger -> Wait',
      'Wait -event> Done',
      'Wait -timeout> Late',
    ]);
  });

  it('keeps its input, and is named after its type', async () => {
    const { id } = await createWorkflow(sender);
    const config = {
      url: 'https://example.com/{{ id }}',
      headers: { 'X-Plan': '{{ plan }}' },
      body: { a: 1 },
    };
    const step = await addStep(sender, id, { type: 'WEBHOOK', position: { x: 1.5, y: 2 }, config });
    expect(step).toEqual({
      id: expect.any(String),
      type: 'WEBHOOK',
      name: 'Webhook',
      position: { x: 1.5, y: 2 },
      config,
      templateId: null,
      updatedAt: expect.any(String),
    });
    expect((await readWorkflow(sender, id)).steps[1]).toEqual(step);
  });

  it.each<[object, string[]]>([
    [{ type: 'JUMP' }, ['type']],
    [{ type: 'TRIGGER' }, ['type']],
    [{}, ['type']],
    [{ type: 'DELAY', name: '' }, ['name']],
    [{ type: 'DELAY', config: { amount: -1, unit: 'weeks' } }, ['config.amount', 'config.unit']],
    [
      { type: 'UPDATE_CONTACT', config: { data: [], subscribed: 'yes' } },
      ['config.data', 'config.subscribed'],
    ],
    [{ type: 'EXIT', config: 'x' }, ['config']],
    [{ type: 'EXIT', position: 3 }, ['position']],
    [{ type: 'EXIT', autoConnect: true }, ['autoConnect']],
    [{ ...delay, autoConnect: unknownId, transitionId: unknownId }, ['transitionId']],
    [{ type: 'SEND_EMAIL', templateId: 'x' }, ['templateId']],
    [
      { type: 'CONDITION', config: { logic: 'AND', groups: [{ filters: [{ field: 'x' }] }] } },
      ['config.groups.0.filters.0.field'],
    ],
  ])('is refused: %j', async (body, fields) => {
    const { id } = await createWorkflow(sender);
    const refused = await sender.post(`/workflows/${id}/steps`, body);
    expect(refused.status, JSON.stringify(refused.body)).toBe(422);
    expect(refused.body.error.errors.map((one: { field: string }) => one.field)).toEqual(fields);
    expect(await readWorkflow(sender, id)).toMatchObject({ version: 1 });
  });

  it('is refused with the scalars received, but no secrets', async () => {
    const { id } = await createWorkflow(sender);
    const headers = { 'X-Team': 'a\nb', Authorization: 'Bearer a\nb' };
    const config = { url: 'ftp://example.com', method: 7, headers };
    const refused = await sender.post(`/workflows/${id}/steps`, { type: 'WEBHOOK', config });
    expect(refused.status).toBe(422);
    expect(
      refused.body.error.errors.map((one: { field: string; received?: unknown }) => [
        one.field,
        one.received,
      ]),
    ).toEqual([
      ['config.url', 'ftp://example.com'],
      ['config.method', 7],
      ['config.headers.X-Team', 'a\nb'],
      ['config.headers.Authorization', undefined],
    ]);
  });

  it('is inserted into a transition, with one version for it', async () => {
    const { id, steps } = await createWorkflow(sender);
    const day = await addStep(sender, id, { ...delay, name: 'Day', autoConnect: steps[0].id });
    const [way] = (await readWorkflow(sender, id)).transitions;
    const insert = (step: object) => sender.post(`/workflows/${id}/steps`, { ...step, transitionId: way.id });
    const ask = await insert({ type: 'CONDITION', name: 'Ask', config: planIs('pro') });
    expect(ask.status).toBe(201);
    await addStep(sender, id, { type: 'EXIT', autoConnect: ask.body.id, branch: 'no' });
    expect(
      (await insert({ type: 'WAIT_FOR_EVENT', name: 'Wait', config: { eventName: 'paid' } })).status,
    ).toBe(201);
    const inserted = ['Ask -no> Exit', 'Ask -yes> Day', 'Trigger -> Wait', 'Wait -> Ask'];
    expect(await arrowsOf(sender, id)).toEqual(inserted);
    const stored = await readWorkflow(sender, id);
    expect(stored).toMatchObject({ version: 5, liveVersion: 5, faults: [] });
    expect((await graphOf(id, 5))?.transitions).toHaveLength(4);

    expect((await insert({ type: 'EXIT' })).status).toBe(400);
    expect((await insert({ type: 'SEND_EMAIL', templateId: unknownId })).status).toBe(404);
    const other = await createBranching();
    const [theirs] = (await readWorkflow(sender, other.id)).transitions;
    const foreign = { ...delay, transitionId: theirs.id };
    expect((await sender.post(`/workflows/${id}/steps`, foreign)).status).toBe(404);
    expect(await readWorkflow(sender, id)).toEqual(stored);
    expect((await sender.delete(`/workflows/${id}/steps/${day.id}`)).status).toBe(204);
  });

  it("can't follow an exit, or a step that does not exist", async () => {
    const { id, exit } = await createBranching();
    const add = (autoConnect: string) => sender.post(`/workflows/${id}/steps`, { ...delay, autoConnect });
    expect((await add(exit.id)).status).toBe(400);
    expect((await add(unknownId)).status).toBe(404);
    const other = await createWorkflow(sender);
    expect((await add(other.steps[0].id)).status).toBe(404);
  });

  it('sends only templates of the project', async () => {
    const { id, steps } = await createWorkflow(sender);
    const own = await createTemplate(sender);
    const foreign = await createTemplate(await createTestSender(stack.url));
    const add = (fields: object) => sender.post(`/workflows/${id}/steps`, { type: 'SEND_EMAIL', ...fields });
    for (const templateId of [foreign, unknownId]) {
      expect((await add({ config: { templateId } })).status).toBe(404);
      expect((await add({ templateId })).status).toBe(404);
    }
    const step = await addStep(sender, id, { type: 'SEND_EMAIL', templateId: own, autoConnect: steps[0].id });
    expect(step).toMatchObject({ templateId: own, config: { templateId: own } });
    const path = `/workflows/${id}/steps/${step.id}`;
    expect((await sender.patch(path, { config: { templateId: foreign } })).status).toBe(404);
    expect((await sender.delete(`/templates/${own}`)).status).toBe(409);
    expect((await sender.get(`/templates/${own}/usage`)).body.workflowSteps).toEqual([
      { workflowId: id, workflowName: 'Welcome', stepId: step.id, stepName: 'Send email' },
    ]);
    expect((await sender.patch(path, { templateId: null })).body).toMatchObject({
      templateId: null,
      config: {},
    });
    expect((await sender.delete(`/templates/${own}`)).status).toBe(204);
  });

  it("uses only segments of the project, which then can't be deleted", async () => {
    const { id } = await createWorkflow(sender);
    const segment = await createSegment(sender, { condition: planIs('pro') });
    const foreign = await createSegment(await createTestSender(stack.url), { condition: planIs('pro') });
    const add = (config: object) => sender.post(`/workflows/${id}/steps`, { type: 'CONDITION', config });
    expect((await add(memberOf(unknownId))).status).toBe(400);
    expect((await add(memberOf(foreign.id))).status).toBe(400);
    const alone = await add({ field: `segment.${foreign.id}`, operator: 'memberOfSegment' });
    expect([alone.status, alone.body.error.errors[0].field]).toEqual([400, 'config.field']);
    const step = (await add({ field: `segment.${segment.id}`, operator: 'memberOfSegment' })).body;
    const refused = await sender.delete(`/segments/${segment.id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.error.details).toEqual({ workflows: [{ id, name: 'Welcome' }] });
    await sender.delete(`/workflows/${id}/steps/${step.id}`);
    expect((await sender.delete(`/segments/${segment.id}`)).status).toBe(204);
  });

  it('changes only the given fields, and never its type', async () => {
    const { id, day } = await createBranching();
    const path = `/workflows/${id}/steps/${day.id}`;
    const { version } = await readWorkflow(sender, id);
    const moved = { position: { x: 1 }, updatedAt: expect.any(String) };
    expect((await sender.patch(path, { position: { x: 1 } })).body).toEqual({ ...day, ...moved });
    expect((await readWorkflow(sender, id)).version).toBe(version);
    expect((await sender.patch(path, { name: 'Pause', type: 'DELAY' })).body.name).toBe('Pause');
    const changed = await sender.patch(path, { config: { amount: 2, unit: 'hours' }, position: null });
    expect(changed.body).toMatchObject({
      name: 'Pause',
      config: { amount: 2, unit: 'hours' },
      position: null,
    });
    expect((await readWorkflow(sender, id)).version).toBe(version + 2);
    expect((await sender.patch(path, { type: 'EXIT' })).status).toBe(400);
    expect((await sender.patch(path, { config: { unit: 'weeks' } })).status).toBe(422);
    expect((await sender.patch(`/workflows/${id}/steps/${unknownId}`, { name: 'x' })).status).toBe(404);
  });

  it('is refused if the steps would exceed 1 MB of JSON, and nothing is written', async () => {
    const { id, steps } = await createWorkflow(sender);
    const path = `/workflows/${id}/steps`;
    const webhook = (headers: number) => ({
      url: 'https://example.com',
      headers: Object.fromEntries(Array.from({ length: headers }, (_, n) => [`X-${n}`, 'x'.repeat(4_096)])),
      body: 'x'.repeat(65_000),
    });
    let before = steps[0].id;
    for (let n = 0; n < 3; n += 1) {
      before = (await addStep(sender, id, { type: 'WEBHOOK', config: webhook(50), autoConnect: before })).id;
    }
    let full = await readWorkflow(sender, id);
    const added = { type: 'WEBHOOK', config: webhook(50), autoConnect: before };
    const expectRefusal = async (refused: Promise<{ status: number; body: unknown }>, field = 'config') => {
      expect(await refused).toMatchObject({
        status: 422,
        body: { error: { errors: [{ field, code: 'too_big' }] } },
      });
      expect(await readWorkflow(sender, id)).toEqual(full);
    };
    await expectRefusal(sender.post(path, added));
    // Small as sent, but long as the database writes it.
    const digits = {
      type: 'WEBHOOK',
      config: { url: 'https://example.com', body: Array(1_000).fill(1e300) },
    };
    await expectRefusal(sender.post(path, digits), 'config.body');

    const last = await addStep(sender, id, { ...added, config: webhook(20) });
    full = await readWorkflow(sender, id);
    await expectRefusal(sender.patch(`${path}/${last.id}`, { config: webhook(50) }));
    expect((await sender.delete(`${path}/${full.steps[1].id}?splice=true`)).status).toBe(204);
    expect((await sender.patch(`${path}/${last.id}`, { config: webhook(50) })).status).toBe(200);
    expect(await readWorkflow(sender, id)).toMatchObject({ faults: [], version: full.version + 2 });
  });

  it('is deleted with its transitions, or spliced out', async () => {
    const { id, day, ask, trigger } = await createBranching();
    const mail = await addStep(sender, id, { type: 'UPDATE_CONTACT', name: 'Mark', autoConnect: day.id });
    const remove = (stepId: string, query = '') => sender.delete(`/workflows/${id}/steps/${stepId}${query}`);
    expect((await remove(ask.id, '?splice=true')).status).toBe(409);
    expect((await remove(day.id, '?splice=true')).status).toBe(204);
    expect(await arrowsOf(sender, id)).toEqual(['Ask -no> Out', 'Ask -yes> Mark', 'Trigger -> Ask']);
    expect((await remove(mail.id)).status).toBe(204);
    expect(await arrowsOf(sender, id)).toEqual(['Ask -no> Out', 'Trigger -> Ask']);
    expect((await remove(trigger.id)).status).toBe(400);
    expect((await remove(mail.id)).status).toBe(404);
    expect((await remove(ask.id, '?splice=maybe')).status).toBe(422);
  });
});

describe('a transition', () => {
  it('exists once per step and branch', async () => {
    const { id, ask, day, exit, trigger } = await createBranching();
    const made = await connect(sender, id, day.id, ask.id);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ id: expect.any(String), fromStepId: day.id, toStepId: ask.id, branch: null });
    expect((await connect(sender, id, day.id, exit.id)).status).toBe(409);
    expect((await connect(sender, id, ask.id, exit.id, 'yes')).status).toBe(409);
    expect((await connect(sender, id, ask.id, exit.id)).status).toBe(400);
    expect((await connect(sender, id, ask.id, exit.id, 'timeout')).status).toBe(400);
    expect((await connect(sender, id, ask.id, exit.id, 'maybe')).status).toBe(422);
    expect((await connect(sender, id, exit.id, day.id)).status).toBe(400);
    expect((await connect(sender, id, ask.id, trigger.id, 'yes')).status).toBe(400);
    expect((await connect(sender, id, ask.id, unknownId, 'yes')).status).toBe(404);
    const gone = await sender.delete(`/workflows/${id}/transitions/${made.body.id}`);
    expect(gone.status).toBe(204);
    expect((await sender.delete(`/workflows/${id}/transitions/${made.body.id}`)).status).toBe(404);
    expect((await connect(sender, id, day.id, exit.id)).status).toBe(201);
  });

  it('without a branch serves both outcomes of a wait, so no other may exist', async () => {
    const { id } = await createWorkflow(sender);
    const wait = await addStep(sender, id, { type: 'WAIT_FOR_EVENT' });
    const exit = await addStep(sender, id, { type: 'EXIT' });
    const both = await connect(sender, id, wait.id, exit.id);
    expect(both.status).toBe(201);
    expect((await connect(sender, id, wait.id, exit.id, 'event')).status).toBe(409);
    await sender.delete(`/workflows/${id}/transitions/${both.body.id}`);
    expect((await connect(sender, id, wait.id, exit.id, 'timeout')).status).toBe(201);
    expect((await connect(sender, id, wait.id, exit.id)).status).toBe(409);
    expect((await connect(sender, id, wait.id, exit.id, 'event')).status).toBe(201);
  });
});

describe('the version', () => {
  it('rises with each edit, and the last one without faults is kept for new executions', async () => {
    const { id, steps } = await createWorkflow(sender);
    const day = await addStep(sender, id, { ...delay, name: 'Day', autoConnect: steps[0].id });
    expect(await readWorkflow(sender, id)).toMatchObject({ version: 2, liveVersion: 2, faults: [] });
    await sender.patch(`/workflows/${id}`, { enabled: true });
    const mark = await addStep(sender, id, { type: 'UPDATE_CONTACT', name: 'Mark' });
    expect(await readWorkflow(sender, id)).toMatchObject({ enabled: true, version: 3, liveVersion: 2 });
    await connect(sender, id, day.id, mark.id);
    expect(await readWorkflow(sender, id)).toMatchObject({ version: 4, liveVersion: 2 });
    expect((await graphOf(id, 2))?.steps.map(({ name }) => name)).toEqual(['Trigger', 'Day']);
    await sender.patch(`/workflows/${id}/steps/${mark.id}`, { config: { data: { seen: true } } });
    expect(await readWorkflow(sender, id)).toMatchObject({ version: 5, liveVersion: 5, faults: [] });
    expect(await graphOf(id, 4)).toBeUndefined();
    expect((await graphOf(id, 5))?.steps.map(({ name }) => name)).toEqual(['Trigger', 'Day', 'Mark']);
  });

  describe('that a newer one has replaced', () => {
    /** A workflow that sends an email; each edit renames the step. */
    async function build() {
      const { id, steps } = await createWorkflow(sender, { allowReentry: true });
      const config = { templateId: await createTemplate(sender) };
      const mail = await addStep(sender, id, { type: 'SEND_EMAIL', config, autoConnect: steps[0].id });
      const edit = async (name: string) => {
        const edited = await sender.patch(`/workflows/${id}/steps/${mail.id}`, { name });
        expect(edited.status, JSON.stringify(edited.body)).toBe(200);
      };
      const kept = () =>
        stack.sql(
          `select v.version, t.template_id is not null as "sendsTemplate"
           from workflow_versions v
           left join workflow_version_templates t on t.workflow_id = v.workflow_id and t.version = v.version
           where v.workflow_id = $1 order by v.version`,
          [id],
        );
      const contactId = await createContact(sender, 'ada@example.com');
      return { id, contactId, edit, kept };
    }

    it('is deleted, unless executions have started with it, ended ones too', async () => {
      const { id, contactId, edit, kept } = await build();
      expect(await kept()).toEqual([{ version: 2, sendsTemplate: true }]);
      const started = await sender.post(`/workflows/${id}/executions`, { contactId });
      expect(started.status, JSON.stringify(started.body)).toBe(201);
      await sender.post(`/workflows/${id}/executions/cancel-all`, {});
      for (const name of ['Second', 'Third', 'Fourth']) await edit(name);
      expect(await kept()).toEqual([
        { version: 2, sendsTemplate: true },
        { version: 5, sendsTemplate: true },
      ]);
    });

    it('is deleted after each of several edits at once', async () => {
      const { edit, kept } = await build();
      await Promise.all(['Second', 'Third', 'Fourth', 'Fifth'].map(edit));
      expect(await kept()).toEqual([{ version: 6, sendsTemplate: true }]);
    });

    it('stays while an execution is being started', async () => {
      const { id: workflowId, contactId, edit, kept } = await build();
      await stack.em().transactional(async (em) => {
        await lockRecord(em, Workflow, { id: workflowId }, { mode: 'for key share', ...allProjects });
        await edit('Second');
        await startExecution(em, { id: newId(), workflowId, version: 2, contactId, context: {} });
      });
      await edit('Third');
      expect(await kept()).toMatchObject([{ version: 2 }, { version: 4 }]);
    });
  });

  it('counts concurrent edits one by one', async () => {
    const { id, steps } = await createWorkflow(sender);
    const added = await Promise.all(
      Array.from({ length: 6 }, () =>
        sender.post(`/workflows/${id}/steps`, { ...delay, autoConnect: steps[0].id }),
      ),
    );
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await readWorkflow(sender, id)).toMatchObject({ version: 2, liveVersion: 2 });
  });
});

describe('an edit of a graph that someone else has changed', () => {
  it('is refused and changes nothing; an edit of the current version succeeds', async () => {
    const { id, day, ask, exit } = await createBranching();
    const headers = { Authorization: `Bearer ${sender.secretKey}` };
    const { updatedAt: seen, transitions } = await readWorkflow(sender, id);
    const [way] = transitions;
    const edit = (method: string, path: string, updatedAt: string, body?: object) =>
      callApi(stack.url, method, `/workflows/${id}${path}`, body, {
        ...headers,
        'If-Match': `"${updatedAt}"`,
      });
    const loop = { fromStepId: day.id, toStepId: ask.id };
    const edits: [method: string, path: string, body?: object][] = [
      ['POST', '/transitions', loop],
      ['POST', '/steps', { ...delay, autoConnect: day.id }],
      ['DELETE', `/steps/${exit.id}`],
      ['DELETE', `/transitions/${way.id}`],
    ];
    await sender.patch(`/workflows/${id}`, { name: 'Theirs' });
    const theirs = await readWorkflow(sender, id);
    for (const [method, path, body] of edits) {
      const { status, body: answer } = await edit(method, path, seen, body);
      expect([status, answer.error.details], path).toEqual([409, { updatedAt: theirs.updatedAt }]);
    }
    expect(await readWorkflow(sender, id)).toEqual(theirs);
    const made = await edit('POST', '/transitions', theirs.updatedAt, loop);
    expect(made.status).toBe(201);
    // The first edit has changed that version, too.
    expect((await edit('DELETE', `/transitions/${made.body.id}`, theirs.updatedAt)).status).toBe(409);
  });
});

describe('usage', () => {
  it('of fields and events names workflows', async () => {
    await sender.post('/contacts', { email: 'ada@example.com', data: { plan: 'pro', seen: true, other: 1 } });
    const { id } = await createBranching();
    await addStep(sender, id, {
      type: 'UPDATE_CONTACT',
      config: { data: { seen: true }, subscribed: false },
    });
    await addStep(sender, id, { type: 'WAIT_FOR_EVENT', config: { eventName: 'order' } });
    const filters = [
      { field: 'event.visit', operator: 'notTriggered' },
      { field: 'event.coupon', operator: 'exists' },
    ];
    await addStep(sender, id, { type: 'CONDITION', config: { logic: 'OR', groups: [{ filters }] } });
    const used = [{ id, name: 'Welcome' }];
    const fieldUsage = async (field: string) =>
      (await sender.get(`/contacts/fields/${field}/usage`)).body.usedInWorkflows;
    for (const field of ['data.plan', 'data.seen', 'subscribed'])
      expect(await fieldUsage(field)).toEqual(used);
    for (const field of ['data.other', 'email']) expect(await fieldUsage(field)).toEqual([]);
    const eventUsage = async (name: string) =>
      (await sender.get(`/events/${encodeURIComponent(name)}/usage`)).body.workflows;
    for (const name of ['signed up', 'order', 'visit']) expect(await eventUsage(name)).toEqual(used);
    for (const name of ['coupon', 'plan']) expect(await eventUsage(name)).toEqual([]);
  });
});
