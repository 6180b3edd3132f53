import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';
import { countUsageSql } from '../billing/usage.ts';

/** Tells the campaign's workflow to look at the campaign again, and starts it when there is none. */
const commandSql = (campaign: string, outboxId: string) => `
  insert into outbox (id, kind, subject_id, project_id)
  select ${outboxId}, 'campaign.changed', id, project_id from ${campaign}`;

/**
 * Begins to send a campaign: keeps its content as it is now, and bounds its audience to the contacts that exist. Its
 * recipients are counted anew while the audience is frozen.
 *
 * @param campaign.recipientLimit most recipients that it may get; null for any number
 * @param due `when due`: only a campaign whose time has come; `at once`: also a draft, and without a time from then on
 * @returns whether it was one that could begin
 */
export async function startSending(
  em: Em,
  campaign: { id: string; contentId: string; outboxId: string; recipientLimit?: number | null },
  due: 'when due' | 'at once',
): Promise<boolean> {
  const rows = await sql(
    em,
    `with started as (
       update campaigns k
       -- Contacts are dated by the clock of whoever creates them, which may be ahead.
       set started_at = greatest(clock_timestamp(),
           (select max(c.created_at) from contacts c where c.project_id = k.project_id)),
         status = 'SENDING', content_id = $2, total_recipients = 0,
         recipient_limit = $4${due === 'at once' ? ', scheduled_for = null' : ''}, updated_at = clock_timestamp()
       where id = $1 and ${
         due === 'at once'
           ? "status in ('DRAFT', 'SCHEDULED')"
           : "status = 'SCHEDULED' and scheduled_for <= clock_timestamp()"
       }
       returning *
     ),
     content as (
       insert into email_contents (id, project_id, subject, body, from_email, from_name, reply_to)
       select content_id, project_id, subject, body, from_email, from_name, reply_to from started
     ),
     command as (${commandSql('started', '$3')})
     select id from started`,
    [campaign.id, campaign.contentId, campaign.outboxId, campaign.recipientLimit ?? null],
  );
  return rows.length > 0;
}

/** Sets or moves the time of a campaign, and notes it in the activity; the caller holds it and knows that it may. */
export async function scheduleCampaign(
  em: Em,
  campaign: { id: string; scheduledFor: Date; outboxId: string },
): Promise<void> {
  await sql(
    em,
    `with scheduled as (
       update campaigns
       set status = 'SCHEDULED', scheduled_for = $2, updated_at = clock_timestamp()
       where id = $1
       returning *
     ),
     journaled as (
       insert into events (id, project_id, name, kind, campaign_id, data, occurred_at)
       select uuidv7(), project_id, 'campaign.scheduled', 'activity', id,
         jsonb_build_object('campaignId', id, 'campaignName', name, 'subject', subject, 'scheduledFor', $4::text),
         now()
       from scheduled
     )
     ${commandSql('scheduled', '$3')}`,
    [campaign.id, campaign.scheduledFor, campaign.outboxId, campaign.scheduledFor.toISOString()],
  );
}

/**
 * Ends a campaign; the caller holds it and knows that it may. From the commit on no email of it is claimed; those
 * that were not are cancelled batch by batch (`cancelBatches`).
 *
 * @param campaign.reason why, when it is not a user who does
 */
export async function cancelCampaign(
  em: Em,
  campaign: { id: string; outboxId: string; reason?: string },
): Promise<void> {
  await sql(
    em,
    `with cancelled as (
       update campaigns
       set status = 'CANCELLED', cancelled_at = clock_timestamp(), cancel_reason = $3, updated_at = clock_timestamp()
       where id = $1
       returning id, project_id
     )
     ${commandSql('cancelled', '$2')}`,
    [campaign.id, campaign.outboxId, campaign.reason ?? null],
  );
}

/**
 * Cancels what has not left of the open batches after `afterNumber`, at most `limit` batches.
 * @returns the number of the last batch looked at; null when none is left
 */
export async function cancelBatches(
  em: Em,
  campaignId: string,
  afterNumber: number,
  limit: number,
): Promise<number | null> {
  const [row] = await sql<{ last: number | null }>(
    em,
    `with batch as materialized (
       select * from campaign_batches
       where campaign_id = $1 and number > $2 and ended_at is null
       order by number limit $3
     ),
     held as materialized (
       select e.id from batch b
       join emails e on e.id between b.first_email_id and b.last_email_id and e.campaign_id is not distinct from $1
       where e.status = 'QUEUED'
       order by e.id
       for no key update of e
     ),
     cancelled as (
       update emails e set status = 'CANCELLED', reason = 'the campaign was cancelled'
       from held h
       where e.id = h.id and e.status = 'QUEUED'
       returning e.id
     ),
     counted as (
       insert into campaign_figure_changes (campaign_id, held)
       select $1, count(*) from cancelled having count(*) > 0
     ),
     given_back as (${countUsageSql(
       'campaigns',
       `select k.project_id, k.started_at as at, -(select count(*) from cancelled) as emails
        from campaigns k where k.id = $1 and exists (select from cancelled)`,
     )}
     )
     select max(number) as last from batch`,
    [campaignId, afterNumber, limit],
  );
  return row?.last ?? null;
}

export interface TestEmail {
  projectId: string;
  campaignId: string;
  email: string;
  emailId: string;
  contentId: string;
  outboxId: string;
}

/**
 * Queues an email that shows a campaign to one address. It belongs to the contact at that address, if there is one,
 * and to no campaign, so that it moves no counter.
 */
export async function queueTestEmail(em: Em, test: TestEmail): Promise<void> {
  await sql(
    em,
    `with campaign as (
       select * from campaigns where project_id = $1 and id = $2
     ),
     content as (
       insert into email_contents (id, project_id, subject, body, from_email, from_name, reply_to)
       select $4, project_id, '[TEST] ' || subject, body, from_email, from_name, reply_to from campaign
     ),
     email as (
       insert into emails (id, project_id, contact_id, content_id, source, type, to_email, from_email)
       select $5, k.project_id, c.id, $4, 'TEST', k.type, $3, k.from_email
       from campaign k
       left join contacts c on c.project_id = k.project_id and c.email = $3
     )
     insert into outbox (id, kind, subject_id, project_id) select $6, 'email.dispatch', $5, $1 from campaign`,
    [test.projectId, test.campaignId, test.email, test.contentId, test.emailId, test.outboxId],
  );
}
