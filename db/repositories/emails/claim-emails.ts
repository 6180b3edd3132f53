import type { JsonObject } from '../../../core/json-value.ts';
import type { ContentType, EmailSource } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** An email that this run may hand over, with what rendering and the rules need. */
export interface ClaimedEmail {
  id: string;
  projectId: string;
  contactId: string | null;
  contentId: string | null;
  source: EmailSource;
  type: ContentType;
  toEmail: string;
  toName: string | null;
  /** Hand-overs begun. */
  attempts: number;
  createdAt: Date;
  projectDisabled: boolean;
  suppressTransactional: boolean;
  /** Undefined values of the contact when it was erased meanwhile. */
  contactEmail: string | null;
  subscribed: boolean | null;
  suppressed: boolean;
  contactData: JsonObject | null;
}

const claimSql = `
with due as materialized (
  select id
  from emails
  where id = any($1::uuid[])
    and (
      status = 'QUEUED'
      or (status = 'UNKNOWN' and source <> 'CAMPAIGN' and attempts < 2
        and claimed_at < now() - make_interval(secs => $3))
    )
  order by id
  for update skip locked
),
claimed as (
  update emails e
  set status = 'SENDING', claim_token = $2, claimed_at = now(), hand_over_begun = false
  from due
  where e.id = due.id
  returning e.*
),
waits_no_more as (
  delete from waiting_emails
  where project_id = any(array(select project_id from claimed)) and email_id = any(array(select id from claimed))
)
select e.id, e.project_id as "projectId", e.contact_id as "contactId", e.content_id as "contentId", e.source,
  e.type, e.to_email as "toEmail", e.to_name as "toName", e.attempts, e.created_at as "createdAt",
  coalesce(p.disabled, e.source <> 'ACCOUNT') as "projectDisabled",
  coalesce(p.suppress_transactional, false) as "suppressTransactional",
  c.email as "contactEmail", c.subscribed, c.suppression_reason is not null as suppressed, c.data as "contactData"
from claimed e
left join projects p on p.id = e.project_id
left join contacts c on c.id = e.contact_id
order by e.id`;

/**
 * Claims for `token` those of the emails that are due: queued ones, and transactional ones whose first
 * hand-over got no answer for `unknownSeconds`. Each email is claimed by one caller only. The hand-over of each has to be
 * begun by `beginHandOvers`.
 */
export function claimEmails(
  em: Em,
  emailIds: string[],
  token: string,
  unknownSeconds: number,
): Promise<ClaimedEmail[]> {
  return sql<ClaimedEmail>(em, claimSql, [emailIds, token, unknownSeconds]);
}
