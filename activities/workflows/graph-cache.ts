import { type Graph, parseGraph } from '../../core/workflows/graph.ts';
import type { Em } from '../../db/orm.ts';
import { readGraph } from '../../db/repositories/workflows/workflow-graphs.ts';

/** The graph of a version; undefined when the workflow is gone. */
export type Graphs = (em: Em, workflowId: string, version: number) => Promise<Graph | undefined>;

const mostGraphs = 500;

/** Keeps the graphs that were used last: a version never changes. */
export function createGraphCache(): Graphs {
  const kept = new Map<string, Graph>();
  return async (em, workflowId, version) => {
    const key = `${workflowId} ${version}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const stored = await readGraph(em, workflowId, version);
    if (stored === undefined) return undefined;
    const graph = parseGraph(stored);
    kept.set(key, graph);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - mostGraphs))) kept.delete(oldest);
    return graph;
  };
}
