import { EntityRepository } from '@mikro-orm/postgresql';
import type { SegmentNode } from '../../core/segments/reference-graph.ts';
import type { Segment } from '../entities/segment.ts';
import { allProjects } from '../project-em.ts';

export type CountableSegment = Pick<
  Segment,
  'id' | 'projectId' | 'type' | 'updatedAt' | 'countedAt' | 'isCurrent'
>;

const trackedPerPage = 200;
const isComputed = { type: 'DYNAMIC', trackMembership: true } as const;

export class SegmentRepository extends EntityRepository<Segment> {
  listAll(): Promise<Segment[]> {
    return this.find({}, { orderBy: { createdAt: 'desc', id: 'desc' } });
  }

  async findReferring(id: string): Promise<{ id: string; name: string }[]> {
    const segments = await this.find(
      { refersTo: { $contains: [id] } },
      { fields: ['id', 'name'], orderBy: { createdAt: 'asc', id: 'asc' } },
    );
    return segments.map(({ id: segmentId, name }) => ({ id: segmentId, name }));
  }

  async readGraph(): Promise<Map<string, SegmentNode>> {
    const segments = await this.find({}, { fields: ['filterCount', 'refersTo'] });
    return new Map(segments.map(({ id, filterCount, refersTo }) => [id, { filterCount, refersTo }]));
  }

  /**
   * A page, in id order, of the tracked dynamic segments of all projects that have to be computed in full. For rounds
   * of earlier versions.
   */
  async listTracked(after: string | null): Promise<{ projectId: string; segmentId: string }[]> {
    const segments = await this.find(
      { ...isComputed, isCurrent: false, ...(after !== null && { id: { $gt: after } }) },
      { ...allProjects, fields: ['id', 'projectId'], orderBy: { id: 'asc' }, limit: trackedPerPage },
    );
    return segments.map(({ id, projectId }) => ({ segmentId: id, projectId }));
  }

  /**
   * Segments last counted before `before`, stalest first. Excludes those due to be computed in full, which counts them
   * anyway.
   */
  listToCount(before: Date, limit: number): Promise<CountableSegment[]> {
    return this.find(
      {
        $or: [{ countedAt: null }, { countedAt: { $lt: before } }],
        $not: { ...isComputed, isCurrent: false },
      },
      {
        ...allProjects,
        fields: ['id', 'projectId', 'type', 'updatedAt', 'countedAt', 'isCurrent'],
        orderBy: [{ countedAt: 'asc nulls first' }, { id: 'asc' }],
        limit,
      },
    );
  }

  /** Stores a count unless the segment was edited or counted since it was read. */
  async keepCount(segment: CountableSegment, memberCount: number): Promise<void> {
    const { id, updatedAt, countedAt } = segment;
    await this.nativeUpdate(
      { id, updatedAt, countedAt: countedAt ?? null },
      { memberCount, countedAt: new Date() },
      allProjects,
    );
  }

  /** Marks a segment as counted without a new figure, so that a failing count does not block the others. */
  async postponeCount(id: string): Promise<void> {
    await this.nativeUpdate({ id }, { countedAt: new Date() }, allProjects);
  }
}
