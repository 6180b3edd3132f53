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
      name: 'segments_tracked',
      expression:
        "create index segments_tracked on segments (id) where track_membership and type = 'DYNAMIC'",
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
