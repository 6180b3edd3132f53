import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, instant, primaryId, updatedAt } from './columns.ts';

export type SegmentType = 'DYNAMIC' | 'STATIC';

/** A group of contacts: those that meet a condition, or a list kept by hand (API contract, "Segment"). */
export const Segment = defineEntity({
  name: 'Segment',
  tableName: 'segments',
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
    type: p.text().$type<SegmentType>().check(`type in ('DYNAMIC', 'STATIC')`),
    /** The condition tree as it was sent; null for a static segment. */
    condition: p.json().$type<Record<string, unknown>>().nullable(),
    /** Filters of the condition itself. */
    filterCount: p.integer().default(0),
    /** Segments that the condition itself names, one entry for each filter that does. */
    refersTo: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    /** Names its events, `segment.<slug>.entry` and `.exit`; stays when the segment is renamed. */
    slug: p.text(),
    trackMembership: p.boolean().default(false),
    /** As of `countedAt`. */
    memberCount: p.integer().default(0),
    countedAt: instant().nullable(),
    /** End of the last full computation of a tracked segment. */
    computedAt: instant().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export type SegmentRow = InferEntity<typeof Segment>;

/**
 * Members of static segments, and the last computed members of tracked dynamic ones. The members of a dynamic
 * segment are always those that meet its condition; these rows only tell who has entered.
 */
export const SegmentMember = defineEntity({
  name: 'SegmentMember',
  tableName: 'segment_members',
  indexes: [{ name: 'segment_members_contact', properties: ['contactId'] }],
  properties: {
    segmentId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    createdAt: createdAt(),
  },
});
