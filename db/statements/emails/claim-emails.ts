import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { type ClaimedEmail, claimedColumnsSql, claimedEmailRow } from './claimed-email.ts';

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
select ${claimedColumnsSql('e', 'p', 'c')}
from claimed e
left join projects p on p.id = e.project_id
left join contacts c on c.id = e.contact_id
order by e.id`;

/**
 * Claims the due emails for `token`: queued ones, and non-campaign ones whose first hand-over has been unanswered for
 * `unknownSeconds`. No email is claimed twice; rows locked by others are skipped. Call `beginHandOvers` before
 * handing over.
 */
export function claimEmails(
  em: Em,
  emailIds: string[],
  token: string,
  unknownSeconds: number,
): Promise<ClaimedEmail[]> {
  return preparedQuery(em, 'claim_emails', claimedEmailRow, claimSql, [emailIds, token, unknownSeconds]);
}
