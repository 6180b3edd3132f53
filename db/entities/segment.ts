import { defineEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import type { SegmentNode } from '../../core/segments/reference-graph.ts';
import { segmentTypes } from '../../core/segments/segment-types.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';
import { allProjects } from './project-em.ts';

const SegmentSchema = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  repository: () => SegmentRepository,
  uniques: [{ name: 'segments_slug', properties: ['projectId', 'slug'] }],
  indexes: [
    { name: 'segments_project', properties: ['projectId', 'createdAt', 'id'] },
    {
      name: 'segments_counted',
      expression: 'create index segments_counted on segments (counted_at nulls first, id)',
    },
    {
      name: 'segments_stale',
      properties: ['id'],
      where: "track_membership and type = 'DYNAMIC' and not is_current",
    },
  ],
  properties: {
    id: primaryId(),
    projectId: p.uuid(),
    name: p.text(),
    description: p.text().nullable(),
    type: p.enum(segmentTypes),
    condition: p.json().$type<Record<string, unknown>>().nullable(),
    filterCount: p.integer().default(0),
    /** Segments the condition itself refers to, one entry per filter. */
    refersTo: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    /** Part of the event names `segment.<slug>.entry` and `.exit`, so renaming the segment does not change it. */
    slug: p.text(),
    trackMembership: p.boolean().default(false),
    memberCount: p.integer().default(0),
    countedAt: instant().nullable(),
    computedAt: instant().nullable(),
    /** Names of the inputs that its members are computed from, as of the last plan (`segmentInputs`). */
    inputs: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /**
     * Null after a change of the condition or of a referenced one, and after a round that failed, until the segment is
     * planned again.
     */
    planId: p.uuid().nullable(),
    /** Whether it was computed in full since it was planned; changes are recorded from then on. */
    isCurrent: p.boolean().default(false),
    /** How far its computation in full has come in its turns so far; counts only for the plan that it names. */
    computation: p.json().$type<Record<string, unknown>>().nullable(),
    /** When the latest of these turns ended: segments whose last turn is longest ago come first. */
    turnEndedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Segment extends SegmentSchema.class {
  isComputed(): boolean {
    return this.type === 'DYNAMIC' && this.trackMembership;
  }
}
SegmentSchema.setClass(Segment);

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
   *
   * @param except projects, of which only segments with stored members are listed
   */
  listToCount(before: Date, limit: number, except: readonly string[]): Promise<CountableSegment[]> {
    return this.find(
      {
        $or: [{ countedAt: null }, { countedAt: { $lt: before } }],
        $not: { ...isComputed, isCurrent: false },
        $and:
          except.length === 0 ? [] : [{ $or: [{ isCurrent: true }, { projectId: { $nin: [...except] } }] }],
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
