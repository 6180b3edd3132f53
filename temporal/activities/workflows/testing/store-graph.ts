import { randomUUID } from 'node:crypto';
import type { Em } from '../../../../db/orm.ts';
import { sql } from '../../../../db/testing/sql.ts';

/** Stores a graph as a version of a workflow. */
export const storeGraph = (em: Em, workflowId: string, graph: object, version = 1) =>
  sql(em, 'insert into workflow_versions (workflow_id, version, graph) values ($1, $2, $3::jsonb)', [
    workflowId,
    version,
    JSON.stringify(graph),
  ]);

/** A graph of steps in a row, which begins with its trigger. */
export function graphOf<Step extends { id: string }>(steps: Step[]) {
  const transitions = steps.slice(1).map(({ id }, index) => ({
    id: randomUUID(),
    fromStepId: steps[index]?.id,
    toStepId: id,
    branch: null,
  }));
  return { eventName: 'signed_up', steps, transitions };
}
