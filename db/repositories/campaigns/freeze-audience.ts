import { recipientsPerBatch } from '../../../core/campaign-batches.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { CampaignRow } from '../../entities/campaign.ts';
import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { countUsageSql } from '../billing/usage.ts';
import { campaignAudience } from './campaign-audience.ts';

type FreezingCampaign = Pick<
  CampaignRow,
  | 'projectId'
  | 'type'
  | 'audienceType'
  | 'audienceCondition'
  | 'segmentId'
  | 'contentId'
  | 'startedAt'
  | 'fromEmail'
>;

/**
 * One piece of the freeze: `$2` contacts in the order of their creation are looked at, an email is queued for each
 * that is in the audience, and the emails are put into batches of consecutive ids. All batches but the last one are
 * full, so the number of a recipient tells its batch.
 */
const freezeSql = (audience: string) => `
with campaign as materialized (
  select id, project_id, content_id, type, from_email, started_at, recipient_limit,
    coalesce(frozen_until, '-infinity') as frozen_until,
    coalesce(frozen_contact_id, '00000000-0000-0000-0000-000000000000') as frozen_contact_id,
    case when frozen_until is null then 0 else total_recipients end as recipients,
    -- How far the clock is behind the ids of the pieces before: ids go on rising when it was set back.
    coalesce((
      select greatest(interval '0', uuid_extract_timestamp(last_email_id) + interval '1 ms' - clock_timestamp())
      from campaign_batches where campaign_id = $1 order by number desc limit 1
    ), interval '0') as behind
  from campaigns
  where id = $1 and status = 'SENDING' and frozen_at is null
),
page as materialized (
  select c.*
  from contacts c, campaign k
  where c.project_id = k.project_id and (c.created_at, c.id) > (k.frozen_until, k.frozen_contact_id)
    and c.created_at <= k.started_at
  order by c.created_at, c.id
  limit $2
),
recipient as (
  select c.id, c.email from page c where ${audience} order by c.created_at, c.id
  limit (select recipient_limit - recipients from campaign)
),
queued as (
  insert into emails (id, project_id, contact_id, content_id, source, type, campaign_id, to_email, from_email)
  select uuidv7(k.behind), k.project_id, r.id, k.content_id, 'CAMPAIGN', k.type, k.id, r.email, k.from_email
  from recipient r, campaign k
  on conflict (campaign_id, contact_id) where campaign_id is not null do nothing
  returning id
),
numbered as (
  select q.id, ((k.recipients + row_number() over (order by q.id) - 1) / $3::int + 1)::int as batch
  from queued q, campaign k
),
batch as (
  insert into campaign_batches as b (campaign_id, number, first_email_id, last_email_id, recipients)
  select $1::uuid, batch, (array_agg(id order by id))[1], (array_agg(id order by id desc))[1], count(*)
  from numbered
  group by batch
  on conflict (campaign_id, number) do update
  set first_email_id = least(b.first_email_id, excluded.first_email_id),
    last_email_id = greatest(b.last_email_id, excluded.last_email_id), recipients = b.recipients + excluded.recipients
),
usage as (${countUsageSql(
  'campaigns',
  `select k.project_id, k.started_at as at, (select count(*) from queued) as emails
   from campaign k where exists (select from queued)`,
)}
)
update campaigns k
set frozen_until = coalesce(last.created_at, k.frozen_until, k.started_at),
  frozen_contact_id = coalesce(last.id, k.frozen_contact_id),
  total_recipients = before.recipients + (select count(*) from queued),
  frozen_at = case when (select count(*) from page) < $2 then clock_timestamp() end,
  updated_at = clock_timestamp()
from campaign before
left join (select created_at, id from page order by created_at desc, id desc limit 1) last on true
where k.id = before.id
returning k.frozen_at is not null as "isFrozen"`;

/**
 * Freezes a piece of a campaign's audience in one transaction, going on where the last piece ended: one email per
 * recipient, however often and wherever it is called. Keeps a cancel waiting for as long as it lasts.
 *
 * @param contacts how many contacts are looked at
 * @param perBatch recipients of a batch; the same in all calls for a campaign
 * @returns whether the whole audience is frozen now, or there is nothing to freeze: the campaign is not sending
 */
export function freezeAudience(
  em: Em,
  campaignId: string,
  contacts: number,
  perBatch = recipientsPerBatch,
): Promise<boolean> {
  return em.transactional(async (transaction) => {
    const [campaign] = await sql<FreezingCampaign>(
      transaction,
      `select project_id as "projectId", type, audience_type as "audienceType",
         audience_condition as "audienceCondition", segment_id as "segmentId", content_id as "contentId",
         started_at as "startedAt", from_email as "fromEmail"
       from campaigns where id = $1 and status = 'SENDING' and frozen_at is null
       for no key update`,
      [campaignId],
    );
    if (campaign === undefined) return true;
    const { startedAt } = campaign;
    if (startedAt === null || startedAt === undefined)
      throw new Error('A campaign is sending that never started');
    const audience = await campaignAudience(transaction, campaign);
    const parameters: unknown[] = [campaignId, contacts, perBatch];
    const where = audience.where(startedAt, bindInto(parameters));
    const [row] = await sql<{ isFrozen: boolean }>(transaction, freezeSql(where), parameters);
    return row?.isFrozen ?? true;
  });
}
