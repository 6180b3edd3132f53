import { z } from 'zod';
import type { EventDeletion } from '../../entities/event.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const keptRow = z.object({
  eventId: z.uuid(),
  projectId: z.uuid(),
  name: z.string(),
  kind: z.enum(['tracked', 'emitted']),
  contactId: z.uuid().nullable(),
  emailId: z.uuid().nullable(),
  campaignId: z.uuid().nullable(),
  workflowId: z.uuid().nullable(),
  data: z.string(),
  occurredAt: z.date(),
});

/**
 * Events of the name that survived the deletion although their ids are as old, because their calls ran concurrently or
 * on a slow clock. In id order. A statement, because ClickHouse needs the exact text of `data`: parsing would lose
 * digits of numbers.
 *
 * @param afterId last id of the previous page
 */
export function listKeptEvents(
  em: Em,
  deletion: EventDeletion,
  afterId: string | undefined,
  limit: number,
): Promise<z.output<typeof keptRow>[]> {
  return query(
    em,
    keptRow,
    `select id as "eventId", project_id as "projectId", name, kind, contact_id as "contactId", email_id as "emailId",
       campaign_id as "campaignId", workflow_id as "workflowId", data::text as data, occurred_at as "occurredAt"
     from events
     where project_id = $1 and name = $2 and kind <> 'activity' and uuid_extract_timestamp(id) <= $3
       and ($4::uuid is null or id > $4)
     order by id
     limit $5`,
    [deletion.projectId, deletion.name, deletion.before, afterId ?? null, limit],
  );
}
