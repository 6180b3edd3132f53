import { describe, expect, it } from 'vitest';
import { startHttpServer } from '../providers/testing/http-server.ts';
import { testFixture } from './setup/fixtures.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { unknownId } from './setup/unknown-id.ts';
import { addStep, createWaitingWorkflow, readWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);
const receiver = testFixture(
  () => startHttpServer((_, response) => response.end('{"score":7}')),
  ({ close }) => close(),
);

/** The URL leads into the internal network, so the step fails immediately. */
const wrongUrl = 'http://localhost:1/hook';

/** A workflow that updates the contact, calls the receiver, and exits. */
const buildCall = (fields: object = {}) =>
  buildWorkflow(
    sender,
    {
      note: { type: 'UPDATE_CONTACT', config: { data: { seen: true } } },
      hook: { type: 'WEBHOOK', config: { url: wrongUrl, body: '{{ email }}' } },
      bye: { type: 'EXIT', config: { reason: 'done' } },
    },
    [
      ['start', 'note'],
      ['note', 'hook'],
      ['hook', 'bye'],
    ],
    fields,
  );

async function correctUrl(id: string): Promise<void> {
  const hook = (await readWorkflow(sender, id)).steps.find(({ name }: { name: string }) => name === 'hook');
  const config = { url: `${receiver.url}/hook`, body: '{{ email }}' };
  expect((await sender.patch(`/workflows/${id}/steps/${hook.id}`, { config })).status).toBe(200);
}

const retry = (workflowId: string, id: string) =>
  sender.post(`/workflows/${workflowId}/executions/${id}/retry`, {});
const retryFailed = (workflowId: string, body: object = {}) =>
  sender.post(`/workflows/${workflowId}/executions/retry-failed`, body);

describe('a failed execution', () => {
  it('continues at the step that failed, as it is in the graph now, and repeats no step before it', async () => {
    const id = await buildCall();
    await trackEvent(sender, 'signup', { plan: 'pro' });
    const failed = await onlyExecution(sender, id, 'FAILED');
    expect(failed.error).toContain('public address');
    const repeated = await retry(id, failed.id);
    expect(repeated.status, JSON.stringify(repeated.body)).toBe(200);
    expect(repeated.body).toMatchObject({ id: failed.id, status: 'RUNNING', error: null, completedAt: null });
    const again = await onlyExecution(sender, id, 'FAILED');
    expect(again.steps.map(({ name }: { name: string }) => name)).toEqual(['note', 'hook']);

    await correctUrl(id);
    expect((await retry(id, failed.id)).status).toBe(200);
    const done = await onlyExecution(sender, id, 'EXITED');
    const { version } = await readWorkflow(sender, id);
    expect(done).toMatchObject({ version, error: null, exitReason: 'done', event: { plan: 'pro' } });
    expect(done.context).toEqual({ hook: { statusCode: 200, body: { score: 7 } } });
    expect(done.steps).toMatchObject([
      { visit: 1, name: 'note', error: null, startedAt: failed.steps[0].startedAt },
      { visit: 2, name: 'hook', error: null },
      { visit: 3, name: 'bye' },
    ]);
    expect(receiver.requests.map(({ body }) => body)).toEqual(['ada@example.com']);

    expect(await retry(id, failed.id)).toMatchObject({
      status: 409,
      body: { error: { message: 'The execution has not failed: it is EXITED' } },
    });
    expect((await retry(id, unknownId)).status).toBe(404);
  });

  it('repeats a step that wrote nothing, in its own version if the step was deleted', async () => {
    const large = { type: 'UPDATE_CONTACT', config: { data: { large: 'x'.repeat(40_000) } } };
    const id = await buildWorkflow(sender, { large }, [['start', 'large']]);
    const data = { other: 'y'.repeat(40_000) };
    const contactId = (await sender.post('/contacts', { email: 'ada@example.com', data })).body.id;
    await trackEvent(sender, 'signup');
    const failed = await onlyExecution(sender, id, 'FAILED');
    expect(failed.error).toContain('beyond 64 KB');
    const graph = await readWorkflow(sender, id);
    expect((await sender.delete(`/workflows/${id}/steps/${failed.currentStepId}`)).status).toBe(204);
    await addStep(sender, id, { type: 'EXIT', autoConnect: graph.steps[0].id });
    expect((await sender.patch(`/contacts/${contactId}`, { data: { other: null } })).status).toBe(200);
    expect((await retry(id, failed.id)).status).toBe(200);
    const done = await onlyExecution(sender, id, 'COMPLETED');
    expect(done).toMatchObject({ version: failed.version, steps: [{ visit: 1, error: null }] });
    const contact = (await sender.get(`/contacts/${contactId}`)).body;
    expect(contact.data.large).toHaveLength(40_000);
  });

  it('stays when the contact is in the workflow again, or is deleted', async () => {
    const id = await buildCall({ allowReentry: true });
    await trackEvent(sender, 'signup');
    const failed = await onlyExecution(sender, id, 'FAILED');
    const [way] = (await readWorkflow(sender, id)).transitions;
    const config = { amount: 30, unit: 'days' };
    await addStep(sender, id, { type: 'DELAY', config, transitionId: way.id });
    const { contactId } = failed;
    const second = await sender.post(`/workflows/${id}/executions`, { contactId });
    expect(second.status).toBe(201);
    expect(await retry(id, failed.id)).toMatchObject({
      status: 409,
      body: { error: { message: 'Another execution of this workflow is active for the contact' } },
    });
    expect((await retryFailed(id)).body).toEqual({ retried: 0, skipped: 1 });

    expect((await sender.delete(`/contacts/${contactId}`)).status).toBe(204);
    expect(await retry(id, failed.id)).toMatchObject({
      status: 409,
      body: { error: { message: 'The execution can’t continue where it failed' } },
    });
  });
});

describe('all failed executions of a workflow', () => {
  it('continue with one call, those of a contact once, and only those that failed since then', async () => {
    const id = await buildCall({ allowReentry: true });
    const other = await createWaitingWorkflow(sender);
    for (const email of ['ada@example.com', 'ben@example.com', 'eve@example.com']) {
      await trackEvent(sender, 'signup', {}, email);
    }
    const failures = async () => (await sender.get(`/workflows/${id}/executions?status=FAILED`)).body;
    await expect.poll(async () => (await failures()).total, { timeout: 20_000 }).toBe(3);
    await trackEvent(sender, 'signup', {}, 'ada@example.com');
    await expect.poll(async () => (await failures()).total, { timeout: 20_000 }).toBe(4);
    const eve = (await failures()).data.find(
      ({ contactEmail }: { contactEmail: string }) => contactEmail === 'eve@example.com',
    );
    await stack.sql(
      `update workflow_executions set completed_at = completed_at - interval '2 hours' where id = $1`,
      [eve.id],
    );
    await correctUrl(id);
    const failedSince = new Date(Date.now() - 60 * 60 * 1000).toISOString();
    expect(await retryFailed(id, { failedSince })).toMatchObject({
      status: 200,
      body: { retried: 2, skipped: 1 },
    });
    await expect.poll(async () => receiver.requests.length, { timeout: 20_000 }).toBe(2);
    const called = receiver.requests.map(({ body }) => body);
    expect(called.toSorted()).toEqual(['ada@example.com', 'ben@example.com']);
    expect((await failures()).total).toBe(2);

    expect((await retryFailed(id, { failedSince: 'yesterday' })).status).toBe(422);
    expect((await retryFailed(unknownId)).status).toBe(404);
    expect((await retryFailed(other.id)).body).toEqual({ retried: 0, skipped: 0 });
  });
});
