import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const batchRow = z.object({
  campaignId: z.uuid(),
  projectId: z.uuid(),
  contentId: z.uuid().nullable(),
  firstEmailId: z.uuid(),
  lastEmailId: z.uuid(),
  queued: z.int(),
  state: z.enum(['sending', 'disabled', 'over']),
});

export type CampaignBatch = z.output<typeof batchRow>;

// A statement, because the batch, its campaign, its project and the count have to be of one snapshot.
export async function readCampaignBatch(
  em: Em,
  campaignId: string,
  number: number,
): Promise<CampaignBatch | undefined> {
  const [row] = await query(
    em,
    batchRow,
    `select k.id as "campaignId", k.project_id as "projectId", k.content_id as "contentId",
       b.first_email_id as "firstEmailId", b.last_email_id as "lastEmailId",
       case when k.status <> 'SENDING' then 'over' when coalesce(p.disabled, true) then 'disabled' else 'sending' end
         as state,
       (select count(*)::int from emails e
        where e.id between b.first_email_id and b.last_email_id and e.campaign_id is not distinct from k.id
          and e.status = 'QUEUED') as queued
     from campaign_batches b
     join campaigns k on k.id = b.campaign_id
     left join projects p on p.id = k.project_id
     where b.campaign_id = $1 and b.number = $2`,
    [campaignId, number],
  );
  return row;
}
