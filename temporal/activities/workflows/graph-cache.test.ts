import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createGraphCache, type Graphs } from './graph-cache.ts';
import { storeGraph } from './testing/store-graph.ts';

const { em, sql } = useTestDatabase();

const workflowId = randomUUID();

/** Stores graphs of these sizes as versions 1, 2, … of the workflow. */
async function store(...sizes: number[]) {
  for (const [index, size] of sizes.entries()) {
    const graph = { eventName: 'x'.repeat(size), steps: [], transitions: [] };
    await storeGraph(em(), workflowId, graph, index + 1);
  }
}

/** Of the versions, those still known once they are deleted. */
async function keptOf(graphs: Graphs, ...versions: number[]) {
  await sql('delete from workflow_versions where workflow_id = $1', [workflowId]);
  const kept: number[] = [];
  for (const version of versions) {
    if ((await graphs(em(), workflowId, version)) !== undefined) kept.push(version);
  }
  return kept;
}

it('keeps the most recently used graphs within its byte limit', async () => {
  await store(1_000, 1_000, 1_000, 1_000);
  const graphs = createGraphCache(5_000);
  for (const version of [1, 2, 1, 3]) expect(await graphs(em(), workflowId, version)).toBeDefined();
  expect(await keptOf(graphs, 1, 2, 3, 4)).toEqual([1, 3]);
});

it('keeps small graphs however many large ones are used', async () => {
  await store(1_000, 400_000, 400_000, 400_000);
  const graphs = createGraphCache(1_000_000);
  for (const version of [1, 2, 3, 4]) expect(await graphs(em(), workflowId, version)).toBeDefined();
  expect(await keptOf(graphs, 1, 2, 3, 4)).toEqual([1, 4]);
});
