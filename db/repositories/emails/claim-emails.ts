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
  set status = 'SENDING', claim_token = $2, claimed_at = now(), attempts = e.attempts + 1
  from due
  where e.id = due.id
  returning e.*
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
 * hand-over got no answer for `unknownSeconds`. Each email is claimed by one caller only.
 */
export function claimEmails(
  em: Em,
  emailIds: string[],
  token: string,
  unknownSeconds: number,
): Promise<ClaimedEmail[]> {
  return sql<ClaimedEmail>(em, claimSql, [emailIds, token, unknownSeconds]);
}

/**
 * Emails that a run left in SENDING when it died become UNKNOWN: only the provider knows whether they left. A
 * claim of `liveSeconds` or less may still be at work and is left alone.
 */
export async function markAbandonedAsUnknown(em: Em, emailIds: string[], liveSeconds: number): Promise<void> {
  await sql(
    em,
    `with abandoned as materialized (
       select id from emails
       where id = any($1::uuid[]) and status = 'SENDING' and claimed_at < now() - make_interval(secs => $2)
       order by id
       for no key update
     )
     update emails e set status = 'UNKNOWN', reason = 'the process ended during the hand-over'
     from abandoned a
     where e.id = a.id`,
    [emailIds, liveSeconds],
  );
}

export interface OpenEmail {
  id: string;
  /** Milliseconds until it is worth looking again. */
  dueInMs: number;
}

/** Those of the emails whose outcome is still open, and when each is due again. */
export function findOpenEmails(
  em: Em,
  emailIds: string[],
  unknownSeconds: number,
  liveSeconds: number,
): Promise<OpenEmail[]> {
  return sql<OpenEmail>(
    em,
    `select id,
       (case status
         when 'QUEUED' then 0
         when 'SENDING' then greatest(0, extract(epoch from claimed_at - now()) + $3) * 1000
         else greatest(0, extract(epoch from claimed_at - now()) + $2) * 1000
       end)::float8 as "dueInMs"
     from emails
     where id = any($1::uuid[])
       and (status in ('QUEUED', 'SENDING')
         or (status = 'UNKNOWN' and source <> 'CAMPAIGN' and attempts < 2))
     order by id`,
    [emailIds, unknownSeconds, liveSeconds],
  );
}
