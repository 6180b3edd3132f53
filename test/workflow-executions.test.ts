import { describe, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { startAnotherApi } from './setup/processes.ts';
import { createTestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';
import {
  addStep,
  createContact,
  createForkedWorkflow,
  createWaitingWorkflow,
  createWorkflow,
  readWorkflow,
} from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const active = expect.stringMatching(/^(RUNNING|WAITING)$/);

const start = (workflowId: string, contactId: string, context?: unknown) =>
  sender.post(`/workflows/${workflowId}/executions`, { contactId, context });

/** Marks an execution as completed. */
const end = (id: string) =>
  stack.sql(
    `update workflow_executions set status = 'COMPLETED', resume_at = null, completed_at = now() where id = $1`,
    [id],
  );

describe('an execution', () => {
  it('can be started manually, even while the workflow is disabled', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const contactId = await createContact(sender, 'ada@example.com');
    const started = await start(id, contactId, { coupon: 'SPRING', nested: { a: [1] } });
    expect(started.status, JSON.stringify(started.body)).toBe(201);
    expect(started.body).toEqual({
      id: expect.any(String),
      workflowId: id,
      version: 2,
      contactId,
      contactEmail: 'ada@example.com',
      status: 'RUNNING',
      currentStepId: null,
      context: { coupon: 'SPRING', nested: { a: [1] } },
      event: {},
      resumeAt: null,
      exitReason: null,
      error: null,
      startedAt: expect.any(String),
      completedAt: null,
      temporalWorkflowId: `workflow/${id}/contact/${contactId}/${started.body.id}`,
      temporalUrl: null,
    });
    const shown = await sender.get(`/workflows/${id}/executions/${started.body.id}`);
    const { contactEmail, temporalWorkflowId } = started.body;
    expect(shown.body).toMatchObject({
      id: started.body.id,
      contactEmail,
      temporalWorkflowId,
      status: active,
      steps: expect.any(Array),
    });
    const journaled = await stack.sql(
      `select name, kind, contact_id as "contactId", data from events where workflow_id = $1`,
      [id],
    );
    expect(journaled).toEqual([
      {
        name: 'workflow.started',
        kind: 'activity',
        contactId,
        data: { workflowId: id, workflowName: 'Welcome', executionId: started.body.id },
      },
    ]);
  });

  it('shows the address of its contact in the list, until the contact is deleted', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const emails = ['ada@example.com', 'bob@example.com'];
    for (const email of emails) await start(id, await createContact(sender, email));
    const list = async () => (await sender.get(`/workflows/${id}/executions`)).body.data;
    const shown = await list();
    expect(shown.map((one: { contactEmail: string }) => one.contactEmail)).toEqual(emails.toReversed());
    await sender.delete(`/contacts/${shown[0].contactId}`);
    expect((await list())[0]).toMatchObject({
      contactId: null,
      contactEmail: null,
      temporalWorkflowId: null,
    });
  });

  it.each<[unknown, string]>([
    [{}, 'contactId'],
    [{ contactId: 'ada' }, 'contactId'],
    [{ contactId: unknownId, context: [] }, 'context'],
    [{ contactId: unknownId, context: { long: 'x'.repeat(65_536) } }, 'context'],
  ])('is refused: %#', async (body, field) => {
    const { id } = await createWaitingWorkflow(sender);
    const refused = await sender.post(`/workflows/${id}/executions`, body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.errors[0].field).toBe(field);
  });

  it('measures numbers of its context and event data by the digits that the database writes', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const contactId = await createContact(sender, 'ada@example.com');
    const start = (n: number[]) => sender.post(`/workflows/${id}/executions`, { contactId, context: { n } });
    const track = (value: number[]) =>
      sender.post('/events/track', {
        email: 'ada@example.com',
        event: 'signed up',
        data: { n: { value, persistent: false } },
      });
    for (const long of [1e300, -1e-300]) {
      const many = Array.from({ length: 2_000 }, () => long);
      expect((await start(many)).status).toBe(422);
      expect((await track(many)).status).toBe(422);
    }
    const few = Array.from({ length: 200 }, () => 1e300);
    expect((await track(few)).status).toBe(200);
    expect((await start(few)).status).toBe(201);
  });

  it('requires a contact of the project', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const foreign = await createContact(await createTestSender(stack.url), 'ada@example.com');
    for (const contactId of [unknownId, foreign]) {
      const refused = await start(id, contactId);
      expect([refused.status, refused.body.error.message]).toEqual([404, 'Contact not found']);
    }
  });

  it('requires a graph that can run, or a live version while the workflow is enabled', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const [ada, bob] = [
      await createContact(sender, 'ada@example.com'),
      await createContact(sender, 'bob@example.com'),
    ];
    await addStep(sender, id, { type: 'EXIT', name: 'Lost' });
    const refused = await start(id, ada);
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.faults).toEqual([
      expect.objectContaining({ code: 'step_unreachable' }),
    ]);
    // A workflow enabled before the edit continues with the previous version.
    await stack.sql('update workflows set enabled = true where id = $1', [id]);
    expect((await start(id, bob)).body.version).toBe(2);
  });

  it('is refused for a disabled project', async () => {
    const { id } = await createWaitingWorkflow(sender);
    await stack.sql('update projects set disabled = true where id = $1', [sender.projectId]);
    await stack.sql(`select pg_notify('project_changed', $1)`, [sender.projectId]);
    const refused = await eventually(
      () => start(id, unknownId),
      ({ status }) => status === 403,
    );
    expect(refused.body.error.code).toBe('PROJECT_DISABLED');
    expect((await sender.get(`/workflows/${id}/executions`)).status).toBe(200);
  });

  it('is the only one ever of a contact, unless re-entry is allowed', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const contactId = await createContact(sender, 'ada@example.com');
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(id, contactId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    await end(answers.find(({ status }) => status === 201)?.body.id);
    expect((await start(id, contactId)).status).toBe(409);

    await sender.patch(`/workflows/${id}`, { allowReentry: true });
    const again = await Promise.all(Array.from({ length: 5 }, () => start(id, contactId)));
    expect(again.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    await end(again.find(({ status }) => status === 201)?.body.id);
    const third = await start(id, contactId);
    expect(third.status).toBe(201);
    await end(third.body.id);

    await sender.patch(`/workflows/${id}`, { allowReentry: false });
    expect((await start(id, contactId)).status).toBe(409);
    expect((await sender.get(`/workflows/${id}/executions`)).body.total).toBe(3);
  });

  it('is listed newest first, by page and status', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.unshift((await start(id, await createContact(sender, `${name}@example.com`))).body.id);
    }
    const [last = '', , first = ''] = ids;
    await sender.delete(`/workflows/${id}/executions/${first}`);
    const list = async (query: string) => (await sender.get(`/workflows/${id}/executions${query}`)).body;
    expect((await list('')).data.map((one: { id: string }) => one.id)).toEqual(ids);
    expect(await list('?status=CANCELLED')).toMatchObject({ data: [{ id: first }], total: 1, totalPages: 1 });
    expect(await list('?pageSize=1&page=1')).toMatchObject({ data: [{ id: last }], total: 3, totalPages: 3 });
    expect(await list('?status=FAILED')).toMatchObject({ data: [], total: 0 });
    const email = encodeURIComponent('C@Example.com ');
    expect(await list(`?email=${email}`)).toMatchObject({ data: [{ id: last }], total: 1 });
    expect(await list(`?email=${email}&status=CANCELLED`)).toMatchObject({ data: [], total: 0 });
    for (const unknown of ['nobody@example.com', 'nobody']) {
      expect(await list(`?email=${unknown}`)).toMatchObject({ data: [], total: 0 });
    }
    const refused = await sender.get(`/workflows/${id}/executions?status=lost`);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it('is listed at the step where it is, or where it ended', async () => {
    const { id, steps } = await createForkedWorkflow(sender);
    for (const name of ['stays', 'leaves'])
      await start(id, await createContact(sender, `${name}@example.com`));
    const idOf = (name: string) => steps.find((step: { name: string }) => step.name === name).id;
    const at = async (name: string, query = '') => {
      const { body } = await sender.get(`/workflows/${id}/executions?stepId=${idOf(name)}${query}`);
      return [body.total, body.data.map(({ contactEmail }: { contactEmail: string }) => contactEmail)];
    };
    await eventually(
      async () => [await at('Wait', '&status=WAITING'), await at('Leave', '&status=EXITED')],
      ([waiting, left]) => waiting?.[0] === 1 && left?.[0] === 1,
    );
    expect(await at('Wait')).toEqual([1, ['stays@example.com']]);
    expect(await at('Leave')).toEqual([1, ['leaves@example.com']]);
    expect(await at('Wait', '&email=leaves@example.com')).toEqual([0, []]);
    expect((await sender.get(`/workflows/${id}/executions?stepId=${unknownId}`)).body.total).toBe(0);
    expect((await sender.get(`/workflows/${id}/executions?stepId=wait`)).status).toBe(422);
  });

  it('shows the steps that it has entered, in order, with the names of its version', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const delay = (await readWorkflow(sender, id)).steps[1];
    const executionId = (await start(id, await createContact(sender, 'ada@example.com'))).body.id;
    await stack.sql('delete from workflow_step_runs where execution_id = $1', [executionId]);
    await stack.sql(
      `insert into workflow_step_runs (execution_id, visit, step_id, branch, output, completed_at)
       select $1, visit, $2, null, '{"n": 1}', now() from generate_series(100, 102) visit`,
      [executionId, delay.id],
    );
    await sender.patch(`/workflows/${id}/steps/${delay.id}`, { name: 'Renamed' });
    const { body } = await sender.get(`/workflows/${id}/executions/${executionId}`);
    expect(body.steps.filter(({ visit }: { visit: number }) => visit >= 100)).toEqual(
      [100, 101, 102].map((visit) => ({
        visit,
        stepId: delay.id,
        type: 'DELAY',
        name: 'Delay',
        branch: null,
        output: { n: 1 },
        error: null,
        startedAt: expect.any(String),
        completedAt: expect.any(String),
      })),
    );
  });

  it('is shown without its configs being parsed, which takes long', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const contactId = await createContact(sender, 'ada@example.com');
    const executionId = (await start(id, contactId)).body.id;
    const shown = await eventually(
      () => sender.get(`/workflows/${id}/executions/${executionId}`),
      ({ body }) => body.status === 'WAITING',
    );
    // No config of a DELAY step; the worker has the graph in memory by now.
    await stack.sql(
      `update workflow_versions set graph = jsonb_set(graph, '{steps,1,config}', '{"amount": "x"}') where workflow_id = $1`,
      [id],
    );
    expect((await sender.get(`/workflows/${id}/executions/${executionId}`)).body).toEqual(shown.body);
  });

  it('never outlives its workflow', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await createWaitingWorkflow(sender);
      const contacts = await Promise.all(
        ['a', 'b', 'c'].map((name) => createContact(sender, `${name}${round}@example.com`)),
      );
      const starting = contacts.map((contactId) => start(id, contactId));
      const removed = await sender.delete(`/workflows/${id}`);
      const statuses = (await Promise.all(starting)).map(({ status }) => status);
      const left = await stack.sql('select 1 from workflow_executions where workflow_id = $1', [id]);
      expect(left).toHaveLength(statuses.filter((status) => status === 201).length);
      expect([removed.status, left.length > 0]).toEqual(left.length > 0 ? [409, true] : [204, false]);
    }
  });

  it('is started once by simultaneous events, even at two API processes', async () => {
    const other = await startAnotherApi(stack);
    const { id } = await createWaitingWorkflow(sender, { eventName: 'signup' });
    await sender.patch(`/workflows/${id}`, { enabled: true });
    const track = async (url: string, n: number) => {
      const answer = await fetch(`${url}/v1/track`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sender.publicKey}` },
        body: JSON.stringify({ event: 'signup', email: `c${n}@example.com`, data: { n } }),
      });
      expect(answer.status).toBe(200);
    };
    const urls = [stack.url, other.url];
    const tracked = Array.from({ length: 20 }, (_, n) =>
      urls.flatMap((url) => [track(url, n), track(url, n)]),
    );
    await Promise.all(tracked.flat());
    await other.stop();
    expect((await sender.get(`/workflows/${id}/executions`)).body.total).toBe(20);
    const tracks = await stack.sql(`select 1 from events where project_id = $1 and name = 'signup'`, [
      sender.projectId,
    ]);
    expect(tracks).toHaveLength(80);
  });

  it('is not started in a workflow that is being deleted or disabled', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await createWaitingWorkflow(sender, { eventName: `signup ${round}` });
      await sender.patch(`/workflows/${id}`, { enabled: true });
      const track = (name: string) =>
        sender.post('/v1/track', { event: `signup ${round}`, email: `${name}${round}@example.com` });
      const tracking = ['a', 'b', 'c'].map(track);
      const isDeleted = round % 2 === 0;
      const changed = isDeleted
        ? await sender.delete(`/workflows/${id}`)
        : await sender.patch(`/workflows/${id}`, { enabled: false });
      expect((await Promise.all(tracking)).map(({ status }) => status)).toEqual([200, 200, 200]);
      const count = async () =>
        (await stack.sql('select 1 from workflow_executions where workflow_id = $1', [id])).length;
      const begun = await count();
      if (isDeleted) expect(changed.status).toBe(begun > 0 ? 409 : 204);
      if (isDeleted && begun > 0) continue;
      await track('d');
      expect(await count()).toBe(begun);
    }
  });

  it('of another workflow is 404', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const other = await createWorkflow(sender);
    const { body } = await start(id, await createContact(sender, 'ada@example.com'));
    expect((await sender.get(`/workflows/${other.id}/executions/${body.id}`)).status).toBe(404);
    expect((await sender.delete(`/workflows/${other.id}/executions/${body.id}`)).status).toBe(404);
  });
});

describe('cancelling', () => {
  it('ends an execution once, and is refused when it has ended', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const { body } = await start(id, await createContact(sender, 'ada@example.com'));
    const path = `/workflows/${id}/executions/${body.id}`;
    const answers = await Promise.all([sender.delete(path), sender.delete(path), sender.delete(path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409, 409]);
    expect((await sender.get(path)).body).toMatchObject({
      status: 'CANCELLED',
      completedAt: expect.any(String),
      resumeAt: null,
    });
    const refused = await sender.delete(path);
    expect(refused.body.error.details).toEqual({ status: 'CANCELLED' });
    expect((await sender.delete(`/workflows/${id}/executions/${unknownId}`)).status).toBe(404);
  });

  it('ends all executions of a workflow, and none of others', async () => {
    const [one, other] = [await createWaitingWorkflow(sender), await createWaitingWorkflow(sender)];
    const contacts = await Promise.all(
      ['a', 'b', 'c'].map((name) => createContact(sender, `${name}@example.com`)),
    );
    for (const contactId of contacts) {
      await start(one.id, contactId);
      await start(other.id, contactId);
    }
    const cancel = () => sender.post(`/workflows/${one.id}/executions/cancel-all`, {});
    expect((await cancel()).body).toEqual({ cancelled: 3 });
    expect((await cancel()).body).toEqual({ cancelled: 0 });
    const statuses = async (id: string) =>
      (await sender.get(`/workflows/${id}/executions`)).body.data.map(
        (row: { status: string }) => row.status,
      );
    expect(await statuses(one.id)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect(await statuses(other.id)).toEqual([active, active, active]);
  });

  it('happens when the contact is deleted, which also removes the data', async () => {
    const { id } = await createWaitingWorkflow(sender);
    const contactId = await createContact(sender, 'ada@example.com');
    const { body } = await start(id, contactId, { secret: 'ada' });
    expect((await sender.delete(`/contacts/${contactId}`)).status).toBe(204);
    expect((await sender.get(`/workflows/${id}/executions/${body.id}`)).body).toMatchObject({
      contactId: null,
      status: 'CANCELLED',
      context: {},
    });
    expect((await sender.delete(`/workflows/${id}`)).status).toBe(204);
  });
});
