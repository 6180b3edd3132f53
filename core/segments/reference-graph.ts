/** Segments in a row of which each refers to the next. */
export const maxSegmentDepth = 10;
/** Filters of a condition once every segment that it refers to is written out, as often as it is referred to. */
export const maxExpandedFilters = 500;

/** What a segment's own condition holds. */
export interface SegmentNode {
  filterCount: number;
  /** Ids of the segments that it names, one for each filter that does. */
  refersTo: readonly string[];
}

export type ReferenceFault = 'cycle' | 'too-deep' | 'too-large';

interface Size {
  depth: number;
  filters: number;
}

/**
 * What is wrong with segments that refer to each other; undefined when the queries made of them stay bounded. A query
 * writes each segment out where it is named, so a chain costs depth and a diamond doubles.
 *
 * @param nodes by id; an id that is missing is a segment without filters (static, or not there)
 * @param roots segments whose expansion counts, such as one that changes and all that lead to it
 */
export function findReferenceFault(
  nodes: ReadonlyMap<string, SegmentNode>,
  roots: Iterable<string>,
): ReferenceFault | undefined {
  const sizes = new Map<string, Size | 'open'>();
  try {
    for (const root of roots) measure(root, nodes, sizes);
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
  return undefined;
}

class Fault extends Error {
  readonly fault: ReferenceFault;
  constructor(fault: ReferenceFault) {
    super(fault);
    this.fault = fault;
  }
}

function measure(
  id: string,
  nodes: ReadonlyMap<string, SegmentNode>,
  sizes: Map<string, Size | 'open'>,
): Size {
  const known = sizes.get(id);
  if (known === 'open') throw new Fault('cycle');
  if (known !== undefined) return known;
  const node = nodes.get(id);
  if (node === undefined) return { depth: 0, filters: 1 };
  sizes.set(id, 'open');
  let depth = 0;
  let filters = node.filterCount;
  for (const next of node.refersTo) {
    const size = measure(next, nodes, sizes);
    depth = Math.max(depth, size.depth);
    filters += size.filters;
  }
  const size = { depth: depth + 1, filters };
  sizes.set(id, size);
  if (size.depth > maxSegmentDepth) throw new Fault('too-deep');
  if (size.filters > maxExpandedFilters) throw new Fault('too-large');
  return size;
}

/** The segments from which there is a way to one of `targets`, themselves included. */
export function segmentsLeadingTo(
  nodes: ReadonlyMap<string, SegmentNode>,
  targets: Iterable<string>,
): Set<string> {
  const referrers = new Map<string, string[]>();
  for (const [id, { refersTo }] of nodes) {
    for (const target of refersTo) referrers.set(target, [...(referrers.get(target) ?? []), id]);
  }
  const found = new Set(targets);
  for (const id of found) for (const referrer of referrers.get(id) ?? []) found.add(referrer);
  return found;
}
