import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { createGraphCache } from './graph-cache.ts';

const { em, sql } = useTestDatabase();

it('keeps the most recently used graphs within its byte limit', async () => {
  const workflowId = randomUUID();
  for (const version of [1, 2, 3, 4]) {
    const graph = { eventName: 'x'.repeat(1_000), steps: [], transitions: [] };
    await sql('insert into workflow_versions (workflow_id, version, graph) values ($1, $2, $3::jsonb)', [
      workflowId,
      version,
      JSON.stringify(graph),
    ]);
  }
  const graphs = createGraphCache(2_500);
  for (const version of [1, 2, 1, 3]) expect(await graphs(em(), workflowId, version)).toBeDefined();
  await sql('delete from workflow_versions where workflow_id = $1', [workflowId]);
  const isKept = async (version: number) => (await graphs(em(), workflowId, version)) !== undefined;
  expect([await isKept(1), await isKept(2), await isKept(3), await isKept(4)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
