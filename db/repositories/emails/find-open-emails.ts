import type { ContentType, EmailSource } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** An email whose outcome is still open. */
export interface OpenEmail {
  id: string;
  projectId: string;
  contentId: string | null;
  source: EmailSource;
  type: ContentType;
  projectDisabled: boolean;
  suppressTransactional: boolean;
  subscribed: boolean | null;
  suppressed: boolean;
  /** Of its content with the attachments, which other emails may share; 0 while it is not due. */
  bytes: number;
  /** Milliseconds until it is worth looking again; 0: it can be claimed. */
  dueInMs: number;
}

// The sizes are those that the rows name: nothing of the values is read.
const openSql = `
with abandoned as materialized (
  select id from emails
  where id = any($1::uuid[]) and status = 'SENDING' and claimed_at < now() - make_interval(secs => $3)
  order by id
  for no key update
),
settled as (
  update emails e
  set status = case when e.hand_over_begun is false then 'QUEUED' else 'UNKNOWN' end,
    reason = case when e.hand_over_begun is false then 'the process ended before the hand-over'
      else 'the process ended during the hand-over' end,
    hand_over_begun = null
  from abandoned a
  where e.id = a.id
  returning e.id, e.status
),
open as materialized (
  select e.id, e.project_id, e.contact_id, e.content_id, e.source, e.type,
    case coalesce(s.status, e.status)
      when 'QUEUED' then 0
      when 'SENDING' then greatest(0, extract(epoch from e.claimed_at - now()) + $3) * 1000
      else greatest(0, extract(epoch from e.claimed_at - now()) + $2) * 1000
    end as due_in_ms
  from emails e
  left join settled s on s.id = e.id
  where e.id = any($1::uuid[])
    and (coalesce(s.status, e.status) in ('QUEUED', 'SENDING')
      or (coalesce(s.status, e.status) = 'UNKNOWN' and e.source <> 'CAMPAIGN' and e.attempts < 2))
),
size as materialized (
  select c.id, octet_length(c.body) + pg_column_size(c.variables) + coalesce(
      (select sum(octet_length(a.bytes)) from email_attachments a where a.content_id = c.id), 0) as bytes
  from email_contents c
  where c.id = any(array(select content_id from open where due_in_ms = 0))
)
select o.id, o.project_id as "projectId", o.content_id as "contentId", o.source, o.type,
  coalesce(p.disabled, o.source <> 'ACCOUNT') as "projectDisabled",
  coalesce(p.suppress_transactional, false) as "suppressTransactional",
  c.subscribed, c.suppression_reason is not null as suppressed,
  coalesce(size.bytes, 0)::float8 as bytes, o.due_in_ms::float8 as "dueInMs"
from open o
left join projects p on p.id = o.project_id
left join contacts c on c.id = o.contact_id
left join size on size.id = o.content_id
order by o.id`;

/**
 * Those of the emails whose outcome is still open, oldest first. What a run that died left in SENDING is settled before: an email
 * whose hand-over had not begun is QUEUED again, of the others only the provider knows whether they left, and they are
 * UNKNOWN. A claim of `liveSeconds` or less may still be at work and is left alone.
 */
export function findOpenEmails(
  em: Em,
  emailIds: string[],
  unknownSeconds: number,
  liveSeconds: number,
): Promise<OpenEmail[]> {
  return sql<OpenEmail>(em, openSql, [emailIds, unknownSeconds, liveSeconds]);
}
