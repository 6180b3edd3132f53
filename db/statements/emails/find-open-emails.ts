import { z } from 'zod';
import { claimLiveSeconds } from '../../../core/claim-times.ts';
import { withholdingFactsSchema } from '../../../core/withholding.ts';
import { isKeySql, joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { withholdingColumnsSql } from './claimed-email.ts';

export const interruptedReason = 'the process ended during the hand-over';
export const notBegunReason = 'the process ended before the hand-over';

const openEmailRow = withholdingFactsSchema.extend({
  id: z.uuid(),
  projectId: z.uuid(),
  contentId: z.uuid().nullable(),
  /** Size of content and attachments; 0 until the email is due. Emails may share a content. */
  bytes: z.number(),
  dueInMs: z.number(),
});

export type OpenEmail = z.output<typeof openEmailRow>;

// Reads sizes only: Postgres stores them with the values, so the values themselves are not read.
const openSql = `
with wanted as materialized (
  select distinct id from unnest($1::uuid[]) as t(id) order by id
),
abandoned as materialized (
  select e.id
  from wanted w
  cross join lateral (${joinByKeySql(
    `emails e where e.id = w.id and e.status = 'SENDING' and e.claimed_at < now() - make_interval(secs => $3)`,
    'for no key update',
  )}) e
),
settled as (
  update emails e
  set status = case when e.hand_over_begun is false then 'QUEUED' else 'UNKNOWN' end,
    reason = case when e.hand_over_begun is false then '${notBegunReason}'
      else '${interruptedReason}' end,
    claimed_at = case when e.hand_over_begun is not false then e.claimed_at end,
    hand_over_begun = null
  from abandoned a
  where ${isKeySql('e.id', 'a.id')}
  returning e.id, e.status
),
open as materialized (
  select e.id, e.project_id, e.contact_id, e.content_id, e.source, e.type, e.custom_recipient,
    case coalesce(s.status, e.status)
      when 'QUEUED' then coalesce(greatest(0, extract(epoch from e.retry_at - now())), 0) * 1000
      -- Not later for a prolonged claim, because its outcome may come earlier.
      when 'SENDING' then least($3, greatest(0, extract(epoch from e.claimed_at - now()) + $3)) * 1000
      else greatest(0, extract(epoch from e.claimed_at - now()) + $2) * 1000
    end as due_in_ms
  from wanted w
  cross join lateral (${joinByKeySql('emails e where e.id = w.id')}) e
  left join settled s on s.id = e.id
  where coalesce(s.status, e.status) in ('QUEUED', 'SENDING')
    or (coalesce(s.status, e.status) = 'UNKNOWN' and e.source <> 'CAMPAIGN' and e.attempts < 2)
),
size as materialized (
  select c.id, octet_length(coalesce(c.body, t.body)) + pg_column_size(c.variables) + coalesce(
      (select sum(octet_length(a.bytes)) from email_attachments a where a.content_id = c.id), 0) as bytes
  from (select distinct content_id as id from open where due_in_ms = 0) o
  cross join lateral (${joinByKeySql('message_contents c where c.id = o.id')}) c
  left join lateral (${joinByKeySql('template_contents t where t.id = c.template_content_id')}) t on true
)
select o.id, o.project_id as "projectId", o.content_id as "contentId", ${withholdingColumnsSql('o', 'p', 'c')},
  coalesce(size.bytes, 0)::float8 as bytes, o.due_in_ms::float8 as "dueInMs"
from open o
left join lateral (${joinByKeySql('projects p where p.id = o.project_id')}) p on true
left join lateral (${joinByKeySql('contacts c where c.id = o.contact_id')}) c on true
left join size on size.id = o.content_id
order by o.id`;

/**
 * Emails without a final outcome, oldest first. First recovers emails that a dead run left in SENDING: QUEUED if the
 * hand-over had not begun, otherwise UNKNOWN, because only the provider knows whether they left. Claims younger than
 * `liveSeconds` may be live and are left alone. One round trip per batch.
 */
export function findOpenEmails(
  em: Em,
  emailIds: string[],
  unknownSeconds: number,
  liveSeconds = claimLiveSeconds,
): Promise<OpenEmail[]> {
  const parameters = [emailIds, unknownSeconds, liveSeconds];
  return preparedQuery(em, 'find_open_emails', openEmailRow, openSql, parameters);
}
