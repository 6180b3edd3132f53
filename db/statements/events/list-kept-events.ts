import { z } from 'zod';
import { nilId } from '../../../core/nil-id.ts';
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

type KeptEvent = z.output<typeof keptRow>;

/** Ordered as in `events_history`, so that Postgres never reads events of other names to find the first ones. */
const pageSql = (where: string) => `
select id as "eventId", project_id as "projectId", name, kind, contact_id as "contactId", email_id as "emailId",
  campaign_id as "campaignId", workflow_id as "workflowId", data::text as data, occurred_at as "occurredAt"
from events
where project_id = $1 and name = $2 and kind <> 'activity' and uuid_extract_timestamp(id) <= $3 and ${where}
order by contact_id, occurred_at, id
limit $4`;

const ofContactsSql = pageSql('(contact_id, occurred_at, id) > ($7::uuid, $5::timestamptz, $6::uuid)');
const ofNoContactSql = pageSql('contact_id is null and (occurred_at, id) > ($5::timestamptz, $6::uuid)');

/**
 * Events of the name that survived the deletion although their ids are as old, because their calls ran concurrently or
 * on a slow clock. In pages of up to `limit`. A statement, because ClickHouse needs the exact text of `data`: parsing
 * would lose digits of numbers.
 */
export async function* listKeptEvents(
  em: Em,
  { projectId, name, before }: Pick<EventDeletion, 'projectId' | 'name' | 'before'>,
  limit: number,
): AsyncGenerator<KeptEvent[]> {
  for (const text of [ofContactsSql, ofNoContactSql]) {
    let page: KeptEvent[] = [];
    do {
      const last = page.at(-1);
      const place = [last?.occurredAt ?? '-infinity', last?.eventId ?? nilId];
      const contact = text === ofContactsSql ? [last?.contactId ?? nilId] : [];
      page = await query(em, keptRow, text, [projectId, name, before, limit, ...place, ...contact]);
      if (page.length > 0) yield page;
    } while (page.length === limit);
  }
}
