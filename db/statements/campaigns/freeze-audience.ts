import { z } from 'zod';
import { recipientsPerBatch } from '../../../core/campaign-batches.ts';
import { audienceTypes } from '../../../core/campaign-state.ts';
import { contentTypes } from '../../../core/content-types.ts';
import { nilId } from '../../../core/nil-id.ts';
import { countUsageSql } from '../../fragments/count-usage-sql.ts';
import { limitStatements, longestStatementMs } from '../../limit-statements.ts';
import type { Em } from '../../orm.ts';
import { bindInto, queryFirst } from '../../sql.ts';
import { campaignAudience } from './campaign-audience.ts';

const freezingRow = z.object({
  projectId: z.uuid(),
  type: z.enum(contentTypes),
  audienceType: z.enum(audienceTypes),
  audienceCondition: z.record(z.string(), z.json()).nullable(),
  segmentId: z.uuid().nullable(),
  startedAt: z.date().nullable(),
});
const frozenRow = z.object({ isFrozen: z.boolean() });

const batchesSql = `
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
)`;

/**
 * One piece of the freeze: evaluates the audience for the next `$2` contacts by creation, queues an email for each
 * match, and assigns the emails to batches of consecutive ids. All batches but the last are full, so a recipient's
 * number determines its batch.
 */
const freezeSql = (audience: string) => `
with campaign as materialized (
  select id, project_id, content_id, type, from_email, started_at, recipient_limit,
    coalesce(frozen_until, '-infinity') as frozen_until,
    coalesce(frozen_contact_id, '${nilId}') as frozen_contact_id,
    case when frozen_until is null then 0 else total_recipients end as recipients,
    -- How far the clock lags behind the ids of earlier pieces: ids must keep ascending after it was set back.
    coalesce((
      select greatest(interval '0', uuid_extract_timestamp(last_email_id) + interval '1 ms' - clock_timestamp())
      from campaign_batches where campaign_id = $1 order by number desc limit 1
    ), interval '0') as behind
  from campaigns
  where id = $1 and status = 'SENDING' and frozen_at is null
),
-- Sub-queries, because a join would read and sort all remaining contacts before taking the first ones.
page as materialized (
  select c.*
  from contacts c
  where c.project_id = (select project_id from campaign)
    and (c.created_at, c.id)
      > ((select frozen_until from campaign), (select frozen_contact_id from campaign))
    and c.created_at <= (select started_at from campaign)
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
${batchesSql},
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
 * Freezes the next piece of a campaign's audience in one transaction. Idempotent: the unique index on (campaign,
 * contact) drops duplicates. A concurrent cancel waits for it.
 *
 * @param contacts how many contacts to evaluate
 * @param perBatch recipients per batch; must be the same in all calls for a campaign
 * @returns whether the whole audience is frozen; also true when the campaign is not sending
 */
export async function freezeAudience(
  em: Em,
  campaignId: string,
  contacts: number,
  perBatch = recipientsPerBatch,
): Promise<boolean> {
  return (await freezePart(em, campaignId, contacts, perBatch, 'for no key update')) ?? true;
}

/**
 * Freezes the first piece, unless another call has done so or is doing it: when a campaign starts, all workers try.
 *
 * @returns whether this call froze it
 */
export async function beginFreeze(em: Em, campaignId: string, contacts: number): Promise<boolean> {
  const lock = 'and frozen_until is null for no key update skip locked';
  return (await freezePart(em, campaignId, contacts, recipientsPerBatch, lock)) !== undefined;
}

/** @returns whether the whole audience is frozen; undefined when the campaign is not sending or `lock` skips it */
function freezePart(
  em: Em,
  campaignId: string,
  contacts: number,
  perBatch: number,
  lock: string,
): Promise<boolean | undefined> {
  return em.transactional(async (transaction) => {
    await limitStatements(transaction, contacts, longestStatementMs);
    const sql = `select project_id as "projectId", type, audience_type as "audienceType",
         audience_condition as "audienceCondition", segment_id as "segmentId", started_at as "startedAt"
       from campaigns where id = $1 and status = 'SENDING' and frozen_at is null ${lock}`;
    const campaign = await queryFirst(transaction, freezingRow, sql, [campaignId]);
    if (campaign === undefined) return;
    const { startedAt } = campaign;
    if (startedAt === null) throw new Error('A sending campaign has no start');
    const audience = await campaignAudience(transaction, campaign);
    const parameters: unknown[] = [campaignId, contacts, perBatch];
    const where = audience.where(startedAt, bindInto(parameters), 'given');
    const row = await queryFirst(transaction, frozenRow, freezeSql(where), parameters);
    return row?.isFrozen ?? true;
  });
}
