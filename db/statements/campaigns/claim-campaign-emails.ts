import { campaignPauseSql } from '../../fragments/campaign-pause-sql.ts';
import { isDueSql } from '../../fragments/is-due-sql.ts';
import { amongKeysSql } from '../../fragments/join-by-key.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import { type ClaimedEmail, claimedColumnsSql, claimedEmailRow } from '../emails/claimed-email.ts';
import type { BatchToSend } from './read-campaign-batch.ts';

// The first CTE locks the campaign until the claim commits: a claim and a cancel wait for each other, so no claim
// succeeds after a cancel has committed. The lock does not block the freeze, which only changes counters in this row.
// Therefore a statement that ends a campaign has to lock it `for update`; a plain update would not wait.
const claimSql = `
with campaign as materialized (
  select k.id, k.project_id, p.disabled, p.suppress_transactional
  from campaigns k
  join projects p on p.id = k.project_id
  where k.id = $1 and k.status = 'SENDING' and ${campaignPauseSql('k', 'p')} is null
  for key share of k
),
due as materialized (
  select id
  from emails e
  where project_id = (select project_id from campaign) and source = 'CAMPAIGN' and id between $2 and $3
    and campaign_id is not distinct from $1 and ${isDueSql('e')}
  order by id
  limit $4
  for update skip locked
),
claimed as (
  update emails e
  set status = 'SENDING', claim_token = $5, claimed_at = now(), attempts = e.attempts + (not $6::boolean)::int,
    hand_over_begun = case when $6::boolean then false end
  where ${amongKeysSql('e.id', 'select id from due')}
  returning e.*, old.claimed_at as tried_since
),
contact as materialized (
  select * from contacts c where ${amongKeysSql('c.id', 'select contact_id from claimed')}
)
select ${claimedColumnsSql('e', 'k', 'c')}
from claimed e
cross join campaign k
left join contact c on c.id = e.contact_id
order by e.id`;

/**
 * Claims up to `limit` due emails of a batch for `token`, in id order; none unless the campaign is sending, its
 * project enabled and its sender's domain verified. No email is claimed twice.
 *
 * @param batch `firstEmailId` may be any email of the batch, to resume from there
 * @param isNoted whether `beginHandOvers` follows for each email; otherwise the hand-over counts as begun
 */
export function claimCampaignEmails(
  em: Em,
  batch: Pick<BatchToSend, 'campaignId' | 'firstEmailId' | 'lastEmailId'>,
  limit: number,
  token: string,
  isNoted = false,
): Promise<ClaimedEmail[]> {
  const { campaignId, firstEmailId, lastEmailId } = batch;
  const parameters = [campaignId, firstEmailId, lastEmailId, limit, token, isNoted];
  return preparedQuery(em, 'claim_campaign_emails', claimedEmailRow, claimSql, parameters);
}
