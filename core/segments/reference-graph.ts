export const maxSegmentDepth = 10;
/** Filters of a condition with every referenced segment expanded, once per reference. */
export const maxExpandedFilters = 500;

export interface SegmentNode {
  filterCount: number;
  /** One id per filter that references a segment, duplicates included. */
  refersTo: readonly string[];
}

export type ReferenceFault = 'cycle' | 'too-deep' | 'too-large';

interface Size {
  depth: number;
  filters: number;
}

/**
 * Checks that the queries of segments that refer to each other stay bounded. A query expands each segment at
 * every reference, so a chain adds depth and a diamond doubles.
 *
 * @param nodes by id; a missing id is a segment without filters (static or deleted)
 * @param roots segments to expand, such as a changed one and all that lead to it
 */
export function findReferenceFault(
  nodes: ReadonlyMap<string, SegmentNode>,
  roots: Iterable<string>,
): ReferenceFault | undefined {
  const sizes = new Map<string, Size | 'open'>();
  for (const root of roots) {
    const size = measure(root, nodes, sizes);
    if (typeof size === 'string') return size;
  }
  return undefined;
}

function measure(
  id: string,
  nodes: ReadonlyMap<string, SegmentNode>,
  sizes: Map<string, Size | 'open'>,
): Size | ReferenceFault {
  const known = sizes.get(id);
  if (known === 'open') return 'cycle';
  if (known !== undefined) return known;
  const node = nodes.get(id);
  if (node === undefined) return { depth: 0, filters: 1 };
  sizes.set(id, 'open');
  let depth = 0;
  let filters = node.filterCount;
  for (const next of node.refersTo) {
    const size = measure(next, nodes, sizes);
    if (typeof size === 'string') return size;
    depth = Math.max(depth, size.depth);
    filters += size.filters;
  }
  const size = { depth: depth + 1, filters };
  sizes.set(id, size);
  if (size.depth > maxSegmentDepth) return 'too-deep';
  if (size.filters > maxExpandedFilters) return 'too-large';
  return size;
}

export function segmentsLeadingTo(
  nodes: ReadonlyMap<string, SegmentNode>,
  targets: Iterable<string>,
): Set<string> {
  const referrers = new Map<string, string[]>();
  for (const [id, { refersTo }] of nodes) {
    for (const target of new Set(refersTo)) {
      const ids = referrers.get(target);
      if (ids === undefined) referrers.set(target, [id]);
      else ids.push(id);
    }
  }
  const found = new Set(targets);
  for (const id of found) for (const referrer of referrers.get(id) ?? []) found.add(referrer);
  return found;
}

/** The segments that a query about some of them contains, these included. */
export function segmentsReachedFrom(
  nodes: ReadonlyMap<string, SegmentNode>,
  starts: Iterable<string>,
): Set<string> {
  const found = new Set(starts);
  for (const id of found) for (const next of nodes.get(id)?.refersTo ?? []) found.add(next);
  return found;
}
