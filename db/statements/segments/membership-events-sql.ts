import { segmentEventName } from '../../../core/reserved-events.ts';
import type { Segment } from '../../entities/segment.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';

/** @param segments all of one project */
export function membershipEventInput(segments: readonly Segment[], occurredAt: Date): string {
  return JSON.stringify(
    segments.map((segment) => ({
      project_id: segment.projectId,
      segment_id: segment.id,
      is_tracked: segment.trackMembership,
      entry: segmentEventName(segment.slug, 'entry'),
      exit: segmentEventName(segment.slug, 'exit'),
      data: { segmentId: segment.id, segmentName: segment.name },
      at: occurredAt,
    })),
  );
}

/**
 * SQL fragment that journals and counts an event for each row of the CTEs `entered(segment_id, contact_id)` and
 * `departed(segment_id, contact_id)` whose segment is tracked. $1 is `membershipEventInput`.
 *
 * @param hops SQL over the contact `c.contact_id`: hops of the change that moved it in or out; null counts as 0
 */
export const membershipEventsSql = (hops: string) => `
  membership_event as (
    insert into events (id, project_id, name, kind, contact_id, data, occurred_at, hops)
    select uuidv7(), i.project_id, case when c.has_entered then i.entry else i.exit end, 'emitted', c.contact_id,
      i.data, i.at, coalesce(${hops}, 0)
    from json_to_recordset($1::json) as i(project_id uuid, segment_id uuid, is_tracked boolean, entry text, exit text,
      data jsonb, at timestamptz)
    join (
      select segment_id, contact_id, true as has_entered from entered
      union all
      select segment_id, contact_id, false from departed
    ) c on c.segment_id = i.segment_id
    where i.is_tracked
    returning id, project_id, name, contact_id, occurred_at
  ),
  ${countEventsSql('select * from membership_event')}`;
