import { LRUCache } from 'lru-cache';
import { type Graph, parseGraph } from '../../core/workflows/graph.ts';
import type { Em } from '../../db/orm.ts';
import { readGraph } from '../../db/repositories/workflows/workflow-graphs.ts';

/** The graph of a version; undefined when the workflow is gone. */
export type Graphs = (em: Em, workflowId: string, version: number) => Promise<Graph | undefined>;

const mostGraphs = 500;
/** Of the JSON of the graphs. */
const mostBytes = 32 * 1024 * 1024;

/** Keeps the graphs that were used last: a version never changes. */
export function createGraphCache(maxBytes = mostBytes): Graphs {
  const kept = new LRUCache<string, Graph>({ max: mostGraphs, maxSize: maxBytes });
  return async (em, workflowId, version) => {
    const key = `${workflowId} ${version}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const stored = await readGraph(em, workflowId, version);
    if (stored === undefined) return undefined;
    const graph = parseGraph(stored);
    kept.set(key, graph, { size: Buffer.byteLength(JSON.stringify(stored)) });
    return graph;
  };
}
