import { describe, expect, it } from 'vitest';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import {
  addStep,
  createContact,
  createWaitingWorkflow,
  createWorkflow,
  readWorkflow,
} from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const listenersOf = async (workflowId: string) =>
  (
    await stack.sql<{ name: string }>(
      'select event_name as name from event_listeners where workflow_id = $1 and execution_id is null',
      [workflowId],
    )
  ).map(({ name }) => name);

describe('a workflow', () => {
  it('is not enabled beside fifty others that start with the same event', async () => {
    const workflow = await createWaitingWorkflow(sender, { eventName: 'signed up' });
    await stack.sql(
      `insert into event_listeners (project_id, event_name, contact_id, id, workflow_id)
       select $1, 'signed up', '00000000-0000-0000-0000-000000000000', id, id
       from (select uuidv7() as id from generate_series(1, 50)) other`,
      [sender.projectId],
    );
    const enable = () => sender.patch(`/workflows/${workflow.id}`, { enabled: true });
    const refused = await enable();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error.details).toEqual({ limit: 50, eventName: 'signed up' });
    expect((await readWorkflow(sender, workflow.id)).enabled).toBe(false);
    const renamed = { triggerConfig: { eventName: 'signed in' } };
    expect((await sender.patch(`/workflows/${workflow.id}`, { ...renamed, enabled: true })).status).toBe(200);
    expect((await sender.patch(`/workflows/${workflow.id}`, { eventName: 'signed up' })).status).toBe(409);
    await stack.sql(
      `delete from event_listeners where project_id = $1 and event_name = 'signed up' and id = (
         select id from event_listeners where project_id = $1 and event_name = 'signed up' limit 1)`,
      [sender.projectId],
    );
    expect((await sender.patch(`/workflows/${workflow.id}`, { eventName: 'signed up' })).status).toBe(200);
  });

  it('is created disabled, with its trigger', async () => {
    const created = await sender.post('/workflows', {
      name: ' Welcome ',
      description: 'Greets',
      eventName: 'signed up',
      enabled: true,
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      name: 'Welcome',
      description: 'Greets',
      enabled: false,
      triggerType: 'EVENT',
      triggerConfig: { eventName: 'signed up' },
      allowReentry: false,
      projectId: sender.projectId,
      version: 1,
      liveVersion: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      steps: [
        {
          id: expect.any(String),
          type: 'TRIGGER',
          name: 'Trigger',
          position: null,
          config: { eventName: 'signed up' },
          templateId: null,
          updatedAt: expect.any(String),
        },
      ],
      transitions: [],
      faults: [],
    });
    expect(await readWorkflow(sender, created.body.id)).toEqual(created.body);
    expect(await listenersOf(created.body.id)).toEqual([]);
  });

  it('accepts its event in the format of the trigger', async () => {
    const body = { name: 'x', triggerType: 'EVENT', triggerConfig: { eventName: 'email.open' } };
    const created = await sender.post('/workflows', body);
    expect(created.body).toMatchObject({ triggerConfig: { eventName: 'email.open' } });
  });

  it.each<[object, string]>([
    [{ eventName: 'x' }, 'name'],
    [{ name: '', eventName: 'x' }, 'name'],
    [{ name: 'x'.repeat(101), eventName: 'x' }, 'name'],
    [{ name: 'x' }, 'eventName'],
    [{ name: 'x', eventName: ' ' }, 'eventName'],
    [{ name: 'x', eventName: 'x'.repeat(256) }, 'eventName'],
    [{ name: 'x', eventName: 'x', triggerType: 'SCHEDULE' }, 'triggerType'],
    [{ name: 'x', eventName: 'x', allowReentry: 'no' }, 'allowReentry'],
  ])('is refused: %j', async (body, field) => {
    const refused = await sender.post('/workflows', body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.errors.map((one: { field: string }) => one.field)).toEqual([field]);
  });

  it('is listed newest first, by page, and found by part of its texts', async () => {
    await createWorkflow(sender, { name: 'One', eventName: 'alpha' });
    await createWorkflow(sender, { name: 'Two', description: 'About ALPHA' });
    await createWorkflow(sender, { name: 'Three 100%' });
    const names = async (query: string) =>
      (await sender.get(`/workflows${query}`)).body.data.map((one: { name: string }) => one.name);
    expect(await names('')).toEqual(['Three 100%', 'Two', 'One']);
    expect(await names('?search=alpha')).toEqual(['Two', 'One']);
    expect(await names('?search=0%25')).toEqual(['Three 100%']);
    expect(await names('?search=_')).toEqual([]);
    const page = await sender.get('/workflows?page=2&pageSize=2');
    expect(page.body).toMatchObject({
      data: [{ name: 'One' }],
      total: 3,
      page: 2,
      pageSize: 2,
      totalPages: 2,
    });
    expect(page.body.data[0]).not.toHaveProperty('steps');
  });

  it('keeps fields that an update omits', async () => {
    const { id } = await createWorkflow(sender, { description: 'Greets' });
    const renamed = await sender.patch(`/workflows/${id}`, { name: 'Hello', allowReentry: true });
    expect(renamed.body).toMatchObject({
      name: 'Hello',
      description: 'Greets',
      allowReentry: true,
      version: 1,
    });
    expect((await sender.patch(`/workflows/${id}`, { description: null })).body.description).toBeNull();
    expect((await sender.patch(`/workflows/${id}`, { name: ' ' })).status).toBe(422);
  });

  it('listens to its event while it is enabled', async () => {
    const { id, steps } = await createWorkflow(sender);
    expect((await sender.patch(`/workflows/${id}`, { enabled: true })).body.enabled).toBe(true);
    expect(await listenersOf(id)).toEqual(['signed up']);
    const moved = await sender.patch(`/workflows/${id}`, { triggerConfig: { eventName: 'joined' } });
    expect(moved.body).toMatchObject({ triggerConfig: { eventName: 'joined' }, version: 2, liveVersion: 2 });
    expect(await listenersOf(id)).toEqual(['joined']);
    const step = await sender.patch(`/workflows/${id}/steps/${steps[0].id}`, {
      config: { eventName: 'came back' },
    });
    expect(step.body.config).toEqual({ eventName: 'came back' });
    expect(await listenersOf(id)).toEqual(['came back']);
    await sender.patch(`/workflows/${id}`, { name: 'Renamed', enabled: true });
    expect(await listenersOf(id)).toEqual(['came back']);
    await sender.patch(`/workflows/${id}`, { enabled: false });
    expect(await listenersOf(id)).toEqual([]);
  });

  it("can't be enabled before its graph can run, and the error lists every fault", async () => {
    const { id, steps } = await createWorkflow(sender);
    const mail = await addStep(sender, id, { type: 'SEND_EMAIL', name: 'Greet', autoConnect: steps[0].id });
    const ask = await addStep(sender, id, {
      type: 'CONDITION',
      name: 'Paid?',
      config: { field: 'data.plan', operator: 'exists' },
    });
    const refused = await sender.patch(`/workflows/${id}`, { enabled: true, name: 'Never' });
    expect(refused.status).toBe(400);
    expect(refused.body.error.code).toBe('BAD_REQUEST');
    expect(refused.body.error.message).toContain('Greet: config.templateId: A template is required');
    expect(
      refused.body.error.errors.map((one: { field: string; code: string }) => [one.field, one.code]),
    ).toEqual([
      [`steps.${mail.id}.config.templateId`, 'config_incomplete'],
      [`steps.${ask.id}`, 'step_unreachable'],
      [`steps.${ask.id}`, 'branch_missing'],
      [`steps.${ask.id}`, 'branch_missing'],
    ]);
    expect(await readWorkflow(sender, id)).toMatchObject({
      enabled: false,
      name: 'Welcome',
      faults: refused.body.error.details.faults.map((one: { code: string }) => ({ code: one.code })),
    });
    expect(await listenersOf(id)).toEqual([]);
  });

  it('is deleted with its graph and its executions', async () => {
    const workflow = await createWaitingWorkflow(sender);
    await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
    const contactId = await createContact(sender, 'ada@example.com');
    await sender.post(`/workflows/${workflow.id}/executions`, { contactId });
    const refused = await sender.delete(`/workflows/${workflow.id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    await sender.post(`/workflows/${workflow.id}/executions/cancel-all`, {});
    expect((await sender.delete(`/workflows/${workflow.id}`)).status).toBe(204);
    expect((await sender.get(`/workflows/${workflow.id}`)).status).toBe(404);
    const [left] = await stack.sql<object>(
      `select (select count(*)::int from workflow_steps where workflow_id = $1) as steps,
         (select count(*)::int from workflow_transitions where workflow_id = $1) as transitions,
         (select count(*)::int from workflow_versions where workflow_id = $1) as versions,
         (select count(*)::int from workflow_executions where workflow_id = $1) as executions,
         (select count(*)::int from event_listeners where workflow_id = $1) as listeners`,
      [workflow.id],
    );
    expect(left).toEqual({ steps: 0, transitions: 0, versions: 0, executions: 0, listeners: 0 });
  });

  it('is not listed in another project', async () => {
    await createWorkflow(sender);
    const stranger = await createTestSender(stack.url);
    await createWorkflow(stranger);
    expect((await stranger.get('/workflows')).body.total).toBe(1);
  });
});

describe('GET /workflows/fields', () => {
  it('lists the fields of contacts, history and event data that conditions can use', async () => {
    await createWorkflow(sender, { eventName: 'order placed' });
    await sender.post('/v1/track', {
      email: 'ada@example.com',
      event: 'order placed',
      data: { plan: 'pro', total: { value: 12, persistent: false } },
    });
    await sender.post('/v1/track', { email: 'ada@example.com', event: 'seen', data: { page: '/' } });
    const { body } = await sender.get('/workflows/fields');
    expect(body.fields.slice(0, 2)).toEqual([
      { field: 'email', type: 'string', source: 'contact' },
      { field: 'subscribed', type: 'boolean', source: 'contact' },
    ]);
    expect(body.fields.slice(5)).toEqual([
      { field: 'data.page', type: 'string', source: 'contact' },
      { field: 'data.plan', type: 'string', source: 'contact' },
      { field: 'event.order placed', type: 'event', source: 'event' },
      { field: 'event.seen', type: 'event', source: 'event' },
      { field: 'event.plan', type: 'string', source: 'event' },
      { field: 'event.total', type: 'number', source: 'event' },
    ]);
    const stranger = await createTestSender(stack.url);
    expect((await stranger.get('/workflows/fields')).body.fields).toHaveLength(5);
  });
});
