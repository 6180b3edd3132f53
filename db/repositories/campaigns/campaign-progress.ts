import type { CampaignStatus } from '../../../core/campaign-state.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

/** Where a campaign stands, for the one who sees it through. */
export interface CampaignProgress {
  projectId: string;
  name: string;
  status: CampaignStatus;
  scheduledFor: Date | null;
  isFrozen: boolean;
  totalRecipients: number;
}

/** @returns undefined when there is no such campaign */
export async function readCampaignProgress(
  em: Em,
  campaignId: string,
): Promise<CampaignProgress | undefined> {
  const [row] = await sql<CampaignProgress>(
    em,
    `select project_id as "projectId", name, status, scheduled_for as "scheduledFor",
       frozen_at is not null as "isFrozen", total_recipients as "totalRecipients"
     from campaigns where id = $1`,
    [campaignId],
  );
  return row;
}

/** Numbers of the batches after `after` in which emails are still to be sent or settled, at most `limit`. */
export async function findOpenBatches(
  em: Em,
  campaignId: string,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ number: number }>(
    em,
    `select number from campaign_batches
     where campaign_id = $1 and number > $2 and ended_at is null
     order by number limit $3`,
    [campaignId, after, limit],
  );
  return rows.map(({ number }) => number);
}

/** Projects of which a campaign is sending now, those that are disabled not counted. */
export async function countSendingProjects(em: Em): Promise<number> {
  const [row] = await sql<{ projects: number }>(
    em,
    `select count(distinct k.project_id)::int as projects
     from campaigns k join projects p on p.id = k.project_id
     where k.status = 'SENDING' and not p.disabled`,
  );
  return row?.projects ?? 0;
}

/**
 * Ends a campaign that has nothing left to send, and notes it in the activity.
 *
 * @returns whether it was sending and is over now
 */
export async function finishSending(em: Em, campaignId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `with finished as (
       update campaigns k
       set status = 'SENT', sent_at = now(), updated_at = now()
       where id = $1 and status = 'SENDING' and frozen_at is not null
         and not exists (select from campaign_batches b where b.campaign_id = k.id and b.ended_at is null)
       returning *
     ),
     journaled as (
       insert into events (id, project_id, name, kind, campaign_id, data, occurred_at)
       select uuidv7(), project_id, 'campaign.sent', 'activity', id,
         jsonb_build_object('campaignId', id, 'campaignName', name, 'subject', subject,
           'totalRecipients', total_recipients), now()
       from finished
     )
     select from finished`,
    [campaignId],
  );
  return rows.length > 0;
}

/**
 * Tells the workflows of campaigns that are under way or due: what is lost is started again, what runs looks and
 * finds nothing new.
 *
 * @returns how many were told
 */
export async function remindCampaigns(em: Em): Promise<number> {
  const rows = await sql(
    em,
    `insert into outbox (id, kind, subject_id, project_id)
     select uuidv7(), 'campaign.changed', k.id, k.project_id
     from campaigns k
     where (k.status = 'SENDING' and k.updated_at < now() - interval '1 minute'
         or k.status = 'SCHEDULED' and k.scheduled_for < now() - interval '10 seconds')
       and not exists (select from outbox o where o.kind = 'campaign.changed' and o.subject_id = k.id)
     returning 1`,
  );
  return rows.length;
}
