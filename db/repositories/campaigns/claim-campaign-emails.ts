import type { Em } from '../../orm.ts';
import { preparedSql, sql } from '../../sql.ts';
import type { ClaimedEmail } from '../emails/claim-emails.ts';

/** A batch of a campaign, with what all of its emails have in common. */
export interface CampaignBatchContext {
  projectId: string;
  contentId: string | null;
  firstEmailId: string;
  lastEmailId: string;
  /** Emails of it that wait to be claimed. */
  queued: number;
  /** Whether claims can succeed now; otherwise why not. */
  state: 'sending' | 'disabled' | 'over';
}

/** @returns undefined when there is no such batch */
export async function readCampaignBatch(
  em: Em,
  campaignId: string,
  number: number,
): Promise<CampaignBatchContext | undefined> {
  const [row] = await sql<CampaignBatchContext>(
    em,
    `select k.project_id as "projectId", k.content_id as "contentId", b.first_email_id as "firstEmailId",
       b.last_email_id as "lastEmailId",
       case when k.status <> 'SENDING' then 'over' when coalesce(p.disabled, true) then 'disabled' else 'sending' end
         as state,
       (select count(*)::int from emails e
        where e.id between b.first_email_id and b.last_email_id and e.campaign_id is not distinct from k.id and e.status = 'QUEUED') as queued
     from campaign_batches b
     join campaigns k on k.id = b.campaign_id
     left join projects p on p.id = k.project_id
     where b.campaign_id = $1 and b.number = $2`,
    [campaignId, number],
  );
  return row;
}

// The first step holds the campaign until the claim is committed: it waits for a cancel under way, and a cancel
// waits for it, so after a cancel has committed no claim succeeds.
const claimSql = `
with campaign as materialized (
  select k.id, p.suppress_transactional
  from campaigns k
  join projects p on p.id = k.project_id and not p.disabled
  where k.id = $1 and k.status = 'SENDING'
  for share of k
),
due as materialized (
  select id
  from emails
  where (select count(*) from campaign) = 1
    and id between $2 and $3 and campaign_id is not distinct from $1 and status = 'QUEUED'
  order by id
  limit $4
  for update skip locked
),
claimed as (
  update emails e
  set status = 'SENDING', claim_token = $5, claimed_at = now(), attempts = e.attempts + 1
  from due
  where e.id = due.id
  returning e.*
)
select e.id, e.project_id as "projectId", e.contact_id as "contactId", e.content_id as "contentId", e.source,
  e.type, e.to_email as "toEmail", e.to_name as "toName", e.attempts, e.created_at as "createdAt",
  false as "projectDisabled", k.suppress_transactional as "suppressTransactional",
  c.email as "contactEmail", c.subscribed, c.suppression_reason is not null as suppressed, c.data as "contactData"
from claimed e
cross join campaign k
left join contacts c on c.id = e.contact_id
order by e.id`;

/**
 * Claims for `token` up to `limit` queued emails of a batch, in order. Nothing while the campaign is not sending or
 * its project is disabled. Each email is claimed by one caller only.
 */
export function claimCampaignEmails(
  em: Em,
  campaignId: string,
  batch: Pick<CampaignBatchContext, 'firstEmailId' | 'lastEmailId'>,
  limit: number,
  token: string,
): Promise<ClaimedEmail[]> {
  const parameters = [campaignId, batch.firstEmailId, batch.lastEmailId, limit, token];
  return preparedSql<ClaimedEmail>(em, 'claim_campaign_emails', claimSql, parameters);
}
