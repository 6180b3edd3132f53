import { defineEntity, p } from '@mikro-orm/core';
import type { SegmentClock } from '../../core/segments/segment-inputs.ts';
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
    /** Null after a change of the condition or of a referenced one, until the segment is planned again. */
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

const SegmentInputSchema = defineEntity({
  name: 'SegmentInput',
  tableName: 'segment_inputs',
  indexes: [
    { name: 'segment_inputs_planned', properties: ['plannedUntil'], where: 'planned_until is not null' },
  ],
  properties: {
    projectId: p.uuid().primary(),
    input: p.text().primary(),
    clock: p.json().$type<SegmentClock>().nullable(),
    plannedUntil: instant().nullable(),
    planningUntil: instant().nullable(),
  },
});

/**
 * What the tracked segments of a project read: changes of anything else are not recorded. A clock is a test relative to
 * now; the instants at which its answer changes are recorded ahead, up to `plannedUntil`.
 */
export class SegmentInput extends SegmentInputSchema.class {}
SegmentInputSchema.setClass(SegmentInput);

const SegmentChangeSchema = defineEntity({
  name: 'SegmentChange',
  tableName: 'segment_changes',
  properties: {
    projectId: p.uuid().primary(),
    /** Contains the instant at which the change is due: that of the write, or later for a clock. */
    id: p.uuid().primary().defaultRaw('uuidv7()'),
    input: p.text(),
    contactIds: p.array().columnType('uuid[]'),
    /** Hops of a change that an execution caused (`core/workflows/endless.ts`); null for any other. */
    hops: p.smallint().nullable(),
  },
});

/**
 * Contacts that a round has yet to evaluate, appended by the transaction that changes them: one row per statement and
 * input.
 */
export class SegmentChange extends SegmentChangeSchema.class {}
SegmentChangeSchema.setClass(SegmentChange);

const SegmentRoundSchema = defineEntity({
  name: 'SegmentRound',
  tableName: 'segment_rounds',
  properties: {
    projectId: p.uuid().primary(),
    nextAt: instant(),
  },
});

/** The earliest next turn of a project with changes. */
export class SegmentRound extends SegmentRoundSchema.class {}
SegmentRoundSchema.setClass(SegmentRound);
