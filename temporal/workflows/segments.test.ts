import { describe, expect, it } from 'vitest';
import { runWorkflow, useTimeSkipping } from '../../test/setup/time-skipping.ts';
import {
  newSegmentComputation,
  newSegmentCount,
  newSegmentRounds,
  type SegmentComputed,
  type TrackedSegment,
} from '../contracts/segments.ts';

const environment = useTimeSkipping();

const idsUpTo = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1).padStart(6, '0'));

/** Segments that wait for their computation, by project. Listed as by the database: the projects take turns. */
class StaleSegments {
  readonly computed: string[] = [];
  readonly #waiting: Map<string, Set<string>>;

  constructor(projects: Record<string, string[]>) {
    this.#waiting = new Map(Object.entries(projects).map(([project, ids]) => [project, new Set(ids)]));
  }

  readonly list = async ({ except = [] }: { except?: string[] }): Promise<TrackedSegment[]> =>
    [...this.#waiting]
      .flatMap(([projectId, ids]) =>
        [...ids]
          .filter((id) => !except.includes(id))
          .map((segmentId, turn) => ({ projectId, segmentId, turn })),
      )
      .sort((one, other) => one.turn - other.turn)
      .slice(0, 16)
      .map(({ projectId, segmentId }) => ({ projectId, segmentId }));

  add(project: string, id: string): void {
    this.#waiting.set(project, new Set([id]));
  }

  end({ projectId, segmentId }: TrackedSegment): void {
    this.computed.push(segmentId);
    this.#waiting.get(projectId)?.delete(segmentId);
  }
}

describe('a round of computations', () => {
  it('computes every tracked segment once, a few at a time, and adds up the changes', async () => {
    const stale = new StaleSegments({ p: idsUpTo(25) });
    let running = 0;
    let most = 0;
    const { result } = await runWorkflow(environment, 'segmentComputation', newSegmentComputation, {
      listTrackedSegments: stale.list,
      computeSegment: async (segment: TrackedSegment): Promise<SegmentComputed | null> => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        stale.end(segment);
        return segment.segmentId === '000007' ? null : { added: 2, removed: 1, total: 5 };
      },
    });
    expect(stale.computed.toSorted()).toEqual(idsUpTo(25));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    expect(result).toEqual({ segments: 25, failed: 0, added: 48, removed: 24 });
  });

  it('leaves a segment that fails or has to be recomputed to the next round', async () => {
    const stale = new StaleSegments({ p: idsUpTo(4) });
    const tries: Record<string, number> = {};
    const { result } = await runWorkflow(environment, 'segmentComputation', newSegmentComputation, {
      listTrackedSegments: stale.list,
      computeSegment: async (segment: TrackedSegment) => {
        const { segmentId } = segment;
        const count = (tries[segmentId] ?? 0) + 1;
        tries[segmentId] = count;
        if (segmentId === '000001' || (segmentId === '000002' && count < 4)) throw new Error('no database');
        if (segmentId === '000004') return { added: 1, removed: 0, total: 1, isStale: true };
        stale.end(segment);
        return { added: 1, removed: 0, total: 1 };
      },
    });
    expect(tries).toEqual({ '000001': 5, '000002': 4, '000003': 1, '000004': 1 });
    expect(result).toEqual({ segments: 3, failed: 1, added: 3, removed: 0 });
  });

  it('does not make a new project wait for all segments of another', async () => {
    const stale = new StaleSegments({ heavy: idsUpTo(200) });
    await runWorkflow(environment, 'segmentComputation', newSegmentComputation, {
      listTrackedSegments: stale.list,
      computeSegment: async (segment: TrackedSegment) => {
        if (segment.segmentId === '000003') stale.add('new', '000201');
        stale.end(segment);
        return { added: 1, removed: 0, total: 1 };
      },
    });
    expect(stale.computed).toHaveLength(201);
    expect(stale.computed.indexOf('000201')).toBeLessThan(40);
  });

  it('continues in a new run when its history grows long, and skips none', async () => {
    const stale = new StaleSegments({ p: idsUpTo(1_200) });
    const { result } = await runWorkflow(environment, 'segmentComputation', newSegmentComputation, {
      listTrackedSegments: stale.list,
      computeSegment: async (segment: TrackedSegment) => {
        stale.end(segment);
        return { added: 1, removed: 0, total: 1 };
      },
    });
    expect(new Set(stale.computed).size).toBe(1_200);
    expect(result).toEqual({ segments: 1_200, failed: 0, added: 1_200, removed: 0 });
  });
});

describe('rounds of changes', () => {
  const round = { changes: 5, added: 2, removed: 1, failed: 0 };

  it('give every project its turn, and another one while it has more, until none is waiting', async () => {
    const turns: string[] = [];
    const left: Record<string, number> = { busy: 3, quiet: 1, other: 1 };
    const { result } = await runWorkflow(environment, 'segmentRounds', newSegmentRounds, {
      listSegmentTurns: async () => Object.keys(left).filter((id) => (left[id] ?? 0) > 0),
      evaluateSegmentChanges: async ({ projectId }: { projectId: string }) => {
        turns.push(projectId);
        left[projectId] = (left[projectId] ?? 0) - 1;
        return round;
      },
    });
    expect(turns.slice(0, 3).toSorted()).toEqual(['busy', 'other', 'quiet']);
    expect(turns.slice(3)).toEqual(['busy', 'busy']);
    expect(result).toEqual({ turns: 5, changes: 25, added: 10, removed: 5, failed: 0 });
  });

  it('leave a project whose turn fails to the next run', async () => {
    const left = new Set(['broken', 'a', 'b']);
    const { result } = await runWorkflow(environment, 'segmentRounds', newSegmentRounds, {
      listSegmentTurns: async () => [...left],
      evaluateSegmentChanges: async ({ projectId }: { projectId: string }) => {
        if (projectId === 'broken') throw new Error('no database');
        left.delete(projectId);
        return round;
      },
    });
    expect(result).toEqual({ turns: 2, changes: 10, added: 4, removed: 2, failed: 1 });
  });

  it('do not make a new project wait for slow ones', async () => {
    const left = new Set(['heavy', 'also heavy']);
    let end = () => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    let lists = 0;
    const { result } = await runWorkflow(environment, 'segmentRounds', newSegmentRounds, {
      listSegmentTurns: async () => {
        lists += 1;
        if (lists === 3) left.add('new');
        return [...left];
      },
      evaluateSegmentChanges: async ({ projectId }: { projectId: string }) => {
        left.delete(projectId);
        if (projectId === 'new') end();
        else await isOver;
        return round;
      },
    });
    expect(result).toMatchObject({ turns: 3, failed: 0 });
  });
});

describe('a round of counts', () => {
  it('counts until no count is older than its beginning, however often it fails', async () => {
    const startedAt = await environment.currentTimeMs();
    const beginnings: string[] = [];
    const { result } = await runWorkflow(environment, 'segmentCount', newSegmentCount, {
      countSegments: async ({ before }: { before: string }) => {
        beginnings.push(before);
        if (beginnings.length === 2) throw new Error('no database');
        return { counted: 49, failed: 1, hasMore: beginnings.length < 4 };
      },
    });
    expect(result).toEqual({ counted: 147, failed: 3 });
    expect(new Set(beginnings).size).toBe(1);
    expect(Date.parse(beginnings[0] ?? '')).toBeGreaterThanOrEqual(startedAt - 1_000);
  });
});
