import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startHttpServer } from '../../providers/testing/http-server.ts';
import { eventually } from '../setup/eventually.ts';
import { fileFixture } from '../setup/fixtures.ts';
import { createTestSender } from '../setup/sender.ts';
import { useSharedProduct } from '../setup/shared-product.ts';
import { storeWorkflow } from '../setup/stored-workflows.ts';
import type { Action, Outcome } from './actions.ts';
import { toDraftGraph } from './draft-graph.ts';
import { graphs, type ModelGraph } from './graphs.ts';
import { Model } from './model.ts';
import { tellModel, tellWorld } from './outcome.ts';

const stack = useSharedProduct();
const calls = new Map<string, { query: string; body: unknown }[]>();
const outcomes: Outcome[] = ['ok', 'none', 'ok', 'busy'];

const receiver = fileFixture(
  () =>
    startHttpServer(({ path, body }, response) => {
      const { pathname, search } = new URL(path, 'http://localhost');
      const made = calls.get(pathname) ?? [];
      calls.set(pathname, made);
      const outcome = outcomes[made.length % outcomes.length];
      // A call after a failed one is the retry of its step.
      const isRepeat = made.length > 0 && outcomes[(made.length - 1) % outcomes.length] === 'busy';
      made.push({ query: search, body: JSON.parse(body) });
      if (outcome === 'busy') response.writeHead(503).end();
      else if (outcome === 'none') response.writeHead(404).end('none');
      else response.end(JSON.stringify({ k: isRepeat ? 2 : 1 }));
    }),
  ({ close }) => close(),
);

/** Lets everything happen that needs no action: pauses end, and only waits for events remain. */
function settle(model: Model): boolean {
  for (let turn = 0; turn < 60; turn += 1) {
    const before = JSON.stringify(tellModel(model));
    model.endDelays();
    model.act({ kind: 'look', times: 1, twice: false });
    if (before === JSON.stringify(tellModel(model)) && model.isIdle()) return true;
  }
  return false;
}

const track = (name: 'joined' | 'paid', k: number, subscribed?: boolean): Action & { kind: 'track' } => ({
  kind: 'track',
  who: 0,
  name,
  k,
  a: undefined,
  subscribed,
  skewMs: 0,
});
const happens = [
  track('joined', 1),
  track('paid', 2),
  track('joined', 0, false),
  track('paid', 1, true),
  track('paid', 0, false),
];

async function play(graph: ModelGraph): Promise<void> {
  const eventName = 'joined';
  const model = new Model({ graphs: [graph, graph], eventName, allowReentry: true, outcomes });
  const sender = await createTestSender(stack.url);
  const { projectId } = sender;
  const templateIds: string[] = [];
  for (const n of [0, 1]) {
    const from = `hello@${sender.domain}`;
    const fields = { name: `template ${n}`, subject: 'Hi', body: 'Hi', from, type: 'TRANSACTIONAL' };
    templateIds.push((await sender.post('/templates', fields)).body.id);
  }
  const workflowId = randomUUID();
  const particulars = {
    eventName,
    templateIds,
    hookUrl: `${receiver.url}/${workflowId}`,
    delay: { amount: 0.0005, unit: 'minutes' as const },
  };
  const fields = { id: workflowId, projectId, allowReentry: true };
  await storeWorkflow(stack.em(), fields, toDraftGraph(graph, particulars));

  const tell = () => {
    const made = calls.get(`/${workflowId}`) ?? [];
    const scene = { projectId, otherProjectId: randomUUID(), workflowId, calls: made };
    return tellWorld(stack.database.orm, scene);
  };
  for (const action of happens) {
    const { name: event, k, subscribed } = action;
    model.act(action);
    if (!settle(model)) return;
    const data = { k: { value: k, persistent: false } };
    const answer = await sender.post('/v1/track', { event, email: 'c0@example.com', data, subscribed });
    expect(answer.status).toBe(200);
    const expected = tellModel(model);
    const story = await eventually(tell, (now) => isDeepStrictEqual(now, expected)).catch(tell);
    expect(story).toEqual(expected);
  }
}

it('behaves like the model, with Temporal between its steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(graphs, { minLength: 6, maxLength: 6 }), async (several) => {
      await Promise.all(several.map(play));
    }),
    { numRuns: Number(process.env.TEMPORAL_MODEL_RUNS ?? 1), endOnFailure: true },
  );
});
