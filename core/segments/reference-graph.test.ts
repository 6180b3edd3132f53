import { describe, expect, it } from 'vitest';
import {
  findReferenceFault,
  maxExpandedFilters,
  maxSegmentDepth,
  type SegmentNode,
  segmentsLeadingTo,
  segmentsReachedFrom,
} from './reference-graph.ts';

const graph = (nodes: Record<string, readonly [filters: number, refersTo: string[]]>) =>
  new Map<string, SegmentNode>(
    Object.entries(nodes).map(([id, [filterCount, refersTo]]) => [id, { filterCount, refersTo }]),
  );

function chain(length: number) {
  return graph(
    Object.fromEntries(
      Array.from({ length }, (_, index) => [`s${index}`, [1, index === 0 ? [] : [`s${index - 1}`]]]),
    ),
  );
}

/** Each level refers to the one below twice. */
function diamond(levels: number) {
  return graph(
    Object.fromEntries(
      Array.from({ length: levels }, (_, index) => [
        `s${index}`,
        index === 0 ? [1, []] : [2, [`s${index - 1}`, `s${index - 1}`]],
      ]),
    ),
  );
}

describe('segments that refer to each other', () => {
  it.each<[string, Parameters<typeof graph>[0]]>([
    ['itself', { a: [1, ['a']] }],
    ['one that refers back', { a: [1, ['b']], b: [1, ['a']] }],
    ['a cycle further away', { a: [1, ['b']], b: [2, ['x', 'c']], c: [1, ['d']], d: [1, ['b']] }],
  ])('may not form a cycle: %s', (_name, nodes) => {
    expect(findReferenceFault(graph(nodes), ['a'])).toBe('cycle');
  });

  it('may share what they refer to', () => {
    const nodes = graph({ a: [2, ['b', 'c']], b: [1, ['d']], c: [1, ['d']], d: [3, []] });
    expect(findReferenceFault(nodes, ['a'])).toBeUndefined();
  });

  it('may refer to segments that have no conditions', () => {
    expect(findReferenceFault(graph({ a: [1, ['static']] }), ['a'])).toBeUndefined();
  });

  it(`may form a chain of ${maxSegmentDepth} and no longer`, () => {
    expect(findReferenceFault(chain(maxSegmentDepth), [`s${maxSegmentDepth - 1}`])).toBeUndefined();
    expect(findReferenceFault(chain(maxSegmentDepth + 1), [`s${maxSegmentDepth}`])).toBe('too-deep');
  });

  it(`may expand to ${maxExpandedFilters} filters and no more, however few they are written with`, () => {
    const full = { a: [5, ['b', 'b', 'b', 'b', 'b']], b: [99, []] } as const;
    expect(findReferenceFault(graph({ a: [5, [...full.a[1]]], b: [99, []] }), ['a'])).toBeUndefined();
    expect(findReferenceFault(graph({ a: [6, [...full.a[1]]], b: [99, []] }), ['a'])).toBe('too-large');
    expect(findReferenceFault(diamond(8), ['s7'])).toBeUndefined();
    expect(findReferenceFault(diamond(9), ['s8'])).toBe('too-large');
  });

  it('are found by what they refer to: all that lead to a segment, however far', () => {
    const nodes = graph({ a: [1, ['b']], b: [2, ['c', 'c']], c: [1, []], d: [1, ['a', 'x']], e: [1, ['x']] });
    expect(segmentsLeadingTo(nodes, ['c'])).toEqual(new Set(['c', 'b', 'a', 'd']));
    expect(segmentsLeadingTo(nodes, ['e'])).toEqual(new Set(['e']));
  });

  it('are found by what refers to them: all that a query contains, however far', () => {
    const nodes = graph({ a: [1, ['b']], b: [2, ['c', 'x']], c: [1, ['a']], d: [1, ['a']] });
    expect(segmentsReachedFrom(nodes, ['b'])).toEqual(new Set(['b', 'c', 'x', 'a']));
  });

  it('are found when very many refer to the same one with all their filters', () => {
    const refersTo = Array.from({ length: 100 }, () => 's0');
    const nodes = new Map(
      Array.from({ length: 20_000 }, (_, index) => [`s${index + 1}`, { filterCount: 100, refersTo }]),
    );
    expect(segmentsLeadingTo(nodes, ['s0']).size).toBe(20_001);
  });
});
