import { z } from 'zod';
import { campaignPauseSql } from '../../fragments/campaign-pause-sql.ts';
import { isDueSql } from '../../fragments/is-due-sql.ts';
import { isOfBatchSql } from '../../fragments/is-of-batch-sql.ts';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

const batchRow = z.object({
  campaignId: z.uuid(),
  projectId: z.uuid(),
  contentId: z.uuid().nullable(),
  firstEmailId: z.uuid(),
  lastEmailId: z.uuid(),
  /** How many of its emails may be claimed. */
  due: z.int(),
  /** `paused` while none of its emails can be claimed. */
  state: z.enum(['sending', 'paused', 'over']),
  /** Why it is paused, if its project still exists. */
  pause: z.string().nullable(),
  number: z.int(),
  recipients: z.int(),
  isFrozen: z.boolean(),
});

export type BatchToSend = z.output<typeof batchRow>;

// A statement, because the batch, its campaign, its project and the count must come from one snapshot.
const selectSql = `
  select k.id as "campaignId", k.project_id as "projectId", k.content_id as "contentId",
    b.first_email_id as "firstEmailId", b.last_email_id as "lastEmailId",
    case
      when k.status <> 'SENDING' then 'over'
      when p.id is null or ${campaignPauseSql('k', 'p')} is not null then 'paused'
      else 'sending'
    end as state,
    ${campaignPauseSql('k', 'p')} as pause,
    (select count(*)::int from emails e
     where ${isOfBatchSql('e', 'b', 'k.project_id')} and ${isDueSql('e')}) as due,
    b.number, b.recipients, k.frozen_at is not null as "isFrozen"
  from campaign_batches b
  join campaigns k on k.id = b.campaign_id
  left join projects p on p.id = k.project_id`;

export function readCampaignBatch(
  em: Em,
  campaignId: string,
  number: number,
): Promise<BatchToSend | undefined> {
  const where = 'where b.campaign_id = $1 and b.number = $2';
  return queryFirst(em, batchRow, `${selectSql} ${where}`, [campaignId, number]);
}

/** The first unfinished batch after number `after`. */
export function readNextBatch(em: Em, campaignId: string, after: number): Promise<BatchToSend | undefined> {
  const where = 'where b.campaign_id = $1 and b.number > $2 and b.ended_at is null order by b.number limit 1';
  return queryFirst(em, batchRow, `${selectSql} ${where}`, [campaignId, after]);
}
