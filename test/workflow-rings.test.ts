import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { buildWorkflow } from './setup/running-workflows.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { addStep, connect, createWorkflow } from './setup/workflows.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

it('two workflows that undo each other’s changes are stopped, and the last execution says why', async () => {
  const build = (eventName: string, subscribed: boolean) =>
    buildWorkflow(sender, { set: { type: 'UPDATE_CONTACT', config: { subscribed } } }, [['start', 'set']], {
      eventName,
      allowReentry: true,
    });
  const ids = [await build('contact.unsubscribed', true), await build('contact.subscribed', false)];
  await sender.post('/contacts', { email: 'ada@example.com' });
  await sender.post('/contacts', { email: 'ada@example.com', subscribed: false });
  const list = async () =>
    (await Promise.all(ids.map((id) => sender.get(`/workflows/${id}/executions?pageSize=100`)))).flatMap(
      ({ body }) => body.data,
    );
  const ended = await eventually(list, (found) => found.some(({ status }) => status === 'FAILED'));
  expect(ended).toHaveLength(11);
  expect(ended.filter(({ status }) => status === 'COMPLETED')).toHaveLength(10);
  expect(ended.find(({ status }) => status === 'FAILED').error).toContain('Not run: it follows 10');
});

it('a loop whose rounds may take less than a minute can’t be enabled', async () => {
  const workflow = await createWorkflow(sender);
  const [{ id: start }] = workflow.steps;
  const config = { amount: 0.5, unit: 'minutes' };
  const pause = await addStep(sender, workflow.id, {
    type: 'DELAY',
    name: 'short',
    config,
    autoConnect: start,
  });
  const set = {
    type: 'UPDATE_CONTACT',
    name: 'set',
    config: { data: { seen: true } },
    autoConnect: pause.id,
  };
  const update = await addStep(sender, workflow.id, set);
  expect((await connect(sender, workflow.id, update.id, pause.id)).status).toBe(201);
  const refused = await sender.patch(`/workflows/${workflow.id}`, { enabled: true });
  expect(refused.status).toBe(400);
  for (const name of ['short', 'set']) {
    expect(refused.body.error.message).toContain(
      `${name}: it is in a loop without a DELAY or WAIT_FOR_EVENT`,
    );
  }
  await sender.patch(`/workflows/${workflow.id}/steps/${pause.id}`, {
    config: { amount: 1, unit: 'minutes' },
  });
  expect((await sender.patch(`/workflows/${workflow.id}`, { enabled: true })).status).toBe(200);
});
