import { segmentEventName } from '../../../core/reserved-events.ts';
import type { SegmentRow } from '../../entities/segment.ts';
import { countEventsSql } from '../contacts/upsert-contacts-sql.ts';

/** What `membershipEventsSql` has to know of a segment, as the JSON text of its parameter. */
export function membershipEventInput(segment: SegmentRow, occurredAt: Date): string {
  return JSON.stringify({
    project_id: segment.projectId,
    segment_id: segment.id,
    is_tracked: segment.trackMembership,
    // Members of a static segment are changed by clients.
    is_computed: segment.type === 'DYNAMIC',
    entry: segmentEventName(segment.slug, 'entry'),
    exit: segmentEventName(segment.slug, 'exit'),
    data: { segmentId: segment.id, segmentName: segment.name },
    at: occurredAt,
  });
}

/**
 * Fragment of a statement that changes who is a member of a segment: it journals an event for each contact of
 * `entered(contact_id)` and of `departed(contact_id)`, which the statement has to define, and counts it. Nothing for
 * a segment that is not tracked. What a workflow has changed on a contact within the hour before counts as the reason.
 * Its parameter $1 is `membershipEventInput`.
 */
export const membershipEventsSql = `
  membership_event as (
    insert into events (id, project_id, name, kind, contact_id, data, occurred_at, hops)
    select uuidv7(), i.project_id, case when c.has_entered then i.entry else i.exit end, 'emitted', c.contact_id,
      i.data, i.at, coalesce((
        select m.moved_hops from contacts m
        where i.is_computed and m.id = c.contact_id and m.moved_at > i.at - interval '1 hour'), 0)
    from json_to_record($1::json) as i(project_id uuid, is_tracked boolean, is_computed boolean, entry text, exit text,
      data jsonb, at timestamptz)
    cross join (
      select contact_id, true as has_entered from entered
      union all
      select contact_id, false from departed
    ) c
    where i.is_tracked
    returning id, project_id, name, contact_id, occurred_at
  ),
  counted as (select * from membership_event),
  ${countEventsSql}`;
