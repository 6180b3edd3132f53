import { LRUCache } from 'lru-cache';
import { type Graph, parseGraph } from '../../../core/workflows/graph.ts';
import { WorkflowVersion } from '../../../db/entities/workflow.ts';
import type { Em } from '../../../db/orm.ts';

export type Graphs = (em: Em, workflowId: string, version: number) => Promise<Graph | undefined>;

const maxGraphs = 500;
const maxTotalBytes = 32 * 1024 * 1024;

/** LRU cache, never invalidated: a version is immutable. */
export function createGraphCache(maxBytes = maxTotalBytes): Graphs {
  const cached = new LRUCache<string, Graph>({ max: maxGraphs, maxSize: maxBytes });
  return async (em, workflowId, version) => {
    const key = `${workflowId} ${version}`;
    const known = cached.get(key);
    if (known !== undefined) return known;
    // Unmanaged, so that no flush compares the graph with itself.
    const unmanaged = { disableIdentityMap: true };
    const stored = await em.findOne(WorkflowVersion, { workflowId, version }, unmanaged);
    if (stored === null) return undefined;
    const graph = parseGraph(stored.graph);
    cached.set(key, graph, { size: Buffer.byteLength(JSON.stringify(stored.graph)) });
    return graph;
  };
}
