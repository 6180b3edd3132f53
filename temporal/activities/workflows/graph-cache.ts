import { LRUCache } from 'lru-cache';
import { type Graph, parseGraph } from '../../../core/workflows/graph.ts';
import { WorkflowVersion } from '../../../db/entities/workflow.ts';
import type { Em } from '../../../db/orm.ts';

export type Graphs = (em: Em, workflowId: string, version: number) => Promise<Graph | undefined>;

const maxGraphs = 500;
const maxTotalBytes = 32 * 1024 * 1024;
/** Largest small graph, as a share of all bytes: 64 KB. */
const smallShare = 1 / 512;

/**
 * LRU cache, never invalidated: a version is immutable. Small and large graphs have half of it each, so that the large
 * ones of one project do not push out those of the others.
 */
export function createGraphCache(maxBytes = maxTotalBytes): Graphs {
  const create = () => new LRUCache<string, Graph>({ max: maxGraphs, maxSize: maxBytes / 2 });
  const [small, large] = [create(), create()];
  return async (em, workflowId, version) => {
    const key = `${workflowId} ${version}`;
    const known = small.get(key) ?? large.get(key);
    if (known !== undefined) return known;
    // Unmanaged, so that no flush compares the graph with itself.
    const unmanaged = { disableIdentityMap: true };
    const stored = await em.findOne(WorkflowVersion, { workflowId, version }, unmanaged);
    if (stored === null) return undefined;
    const graph = parseGraph(stored.graph);
    const size = Buffer.byteLength(JSON.stringify(stored.graph));
    (size <= maxBytes * smallShare ? small : large).set(key, graph, { size });
    return graph;
  };
}
