import { defineEntity, p } from '@mikro-orm/core';
import { segmentTypes } from '../../core/segments/segment-types.ts';
import { SegmentRepository } from '../repositories/segment-repository.ts';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

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

const SegmentMemberSchema = defineEntity({
  name: 'SegmentMember',
  tableName: 'segment_members',
  indexes: [{ name: 'segment_members_contact', properties: ['contactId'] }],
  properties: {
    segmentId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    createdAt: createdAt(),
  },
});

/**
 * Members of static segments, and the last computed members of tracked dynamic ones. Membership in a dynamic segment
 * is always decided by its condition; these rows only record entries.
 */
export class SegmentMember extends SegmentMemberSchema.class {}
SegmentMemberSchema.setClass(SegmentMember);
