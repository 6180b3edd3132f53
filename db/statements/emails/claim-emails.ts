import { isDueSql } from '../../fragments/is-due-sql.ts';
import { isKeySql, joinByKeySql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { type ClaimedEmail, claimedColumnsSql, claimedEmailRow } from './claimed-email.ts';

const claimSql = `
with due as materialized (
  select e.id
  from (select distinct id from unnest($1::uuid[]) as t(id) order by id) k
  cross join lateral (${joinByKeySql(
    `emails e where e.id = k.id and (${isDueSql('e')}
      or (e.status = 'UNKNOWN' and e.source <> 'CAMPAIGN' and e.attempts < 2
        and e.claimed_at < now() - make_interval(secs => $3)))`,
    'for update skip locked',
  )}) e
),
claimed as (
  update emails e
  set status = 'SENDING', claim_token = $2, claimed_at = now(), hand_over_begun = false
  from due
  where ${isKeySql('e.id', 'due.id')}
  returning e.*, old.claimed_at as tried_since
),
waits_no_more as (
  delete from waiting_emails
  where project_id = any(array(select project_id from claimed)) and email_id = any(array(select id from claimed))
)
select ${claimedColumnsSql('e', 'p', 'c')}
from claimed e
left join lateral (${joinByKeySql('projects p where p.id = e.project_id')}) p on true
left join lateral (${joinByKeySql('contacts c where c.id = e.contact_id')}) c on true
order by e.id`;

/**
 * Claims the due emails for `token`: queued ones whose time has come, and non-campaign ones whose first hand-over has been unanswered for
 * `unknownSeconds`. No email is claimed twice; rows locked by others are skipped. Call `beginHandOvers` before handing
 * over.
 */
export function claimEmails(
  em: Em,
  emailIds: string[],
  token: string,
  unknownSeconds: number,
): Promise<ClaimedEmail[]> {
  return preparedQuery(em, 'claim_emails', claimedEmailRow, claimSql, [emailIds, token, unknownSeconds]);
}
