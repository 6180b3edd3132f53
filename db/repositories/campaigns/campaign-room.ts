import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { holdEmailsLeft, readLimits } from '../billing/limits.ts';
import { type AudienceChoice, countRecipients } from './campaign-audience.ts';

/** What a campaign needs of its project's limit, and what there is. */
export interface CampaignRoom {
  recipients: number;
  /** Of the calendar month that is running. */
  left: number;
  /** Of any month. */
  limit: number;
}

/**
 * In a transaction: how many recipients a campaign has now and how many its project may still send to, of which nobody
 * takes any until the end. Counts the audience, so it is only asked where there is a limit.
 *
 * @returns null when there is no limit
 */
export async function holdCampaignRoom(em: Em, campaign: AudienceChoice): Promise<CampaignRoom | null> {
  const { campaigns: limit } = await readLimits(em, campaign.projectId);
  if (limit === null) return null;
  const recipients = await countRecipients(em, campaign);
  const left = await holdEmailsLeft(em, campaign.projectId, 'campaigns');
  return left === null ? null : { recipients, left, limit };
}

/** In a transaction: a scheduled campaign whose time has come, held until the end; undefined when it is none. */
export async function holdDueCampaign(em: Em, id: string): Promise<AudienceChoice | undefined> {
  const [row] = await sql<AudienceChoice>(
    em,
    `select project_id as "projectId", type, audience_type as "audienceType",
       audience_condition as "audienceCondition", segment_id as "segmentId"
     from campaigns where id = $1 and status = 'SCHEDULED' and scheduled_for <= clock_timestamp()
     for no key update`,
    [id],
  );
  return row;
}
