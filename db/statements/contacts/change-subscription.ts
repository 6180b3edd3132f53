import { z } from 'zod';
import { newId } from '../../../core/new-id.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import { liftSuppressionSql } from '../../fragments/lift-suppression-sql.ts';
import type { Em } from '../../orm.ts';
import { queryFirst } from '../../sql.ts';

export type SubscriptionChange =
  | { to: 'subscribed' }
  | { to: 'unsubscribed' }
  | { to: 'snoozed'; until: Date };

export interface SubscriptionChangeInput {
  projectId: string;
  contactId: string;
  emailId: string;
  change: SubscriptionChange;
  occurredAt: Date;
}

export const subscriberRow = z.object({
  id: z.uuid(),
  email: z.string(),
  subscribed: z.boolean(),
  snoozedUntil: z.date().nullable(),
  locale: z.unknown(),
});
export type Subscriber = z.output<typeof subscriberRow>;

export const subscriberColumns = `c.id, c.email, c.subscribed, c.snoozed_until as "snoozedUntil",
  c.data -> 'locale' as "locale"`;

const changeSql = `
with email as materialized (
  -- The email before the contact: provider events lock them in that order.
  select id, campaign_id, workflow_id, unsubscribed_at
  from emails
  where id = $3 and project_id = $1 and contact_id = $2
  for no key update
),
target as materialized (
  select *
  from contacts
  where project_id = $1 and id = $2 and (select count(*) from email) >= 0
  for no key update
),
changed as (
  update contacts c
  set subscribed = $4 = 'subscribed',
    snoozed_until = $5::timestamptz,
    ${liftSuppressionSql("$4::text = 'subscribed'")},
    updated_at = ${laterThanSql('$9', 't.updated_at')}
  from target t
  where c.id = t.id
    -- A contact that opted out, bounced or complained can't be snoozed: the snooze's end would resubscribe it.
    and case when $4 = 'subscribed' then not t.subscribed else t.subscribed or t.snoozed_until is not null end
  returning new.*, old.subscribed <> new.subscribed as is_flipped
),
-- Once per email, and so once per recipient of a campaign.
opted_out as (
  update emails e
  set unsubscribed_at = $9::timestamptz
  from email
  where e.id = email.id and email.unsubscribed_at is null and $4 <> 'subscribed' and exists (select from changed)
  returning e.id, e.campaign_id, e.workflow_id
),
campaign_figure as (
  insert into campaign_figure_changes (campaign_id, unsubscribed)
  select campaign_id, 1 from opted_out where campaign_id is not null
),
source as (
  select c.id as contact_id, c.project_id, c.subscribed, c.snoozed_until, c.is_flipped, e.id as email_id,
    e.campaign_id, e.workflow_id,
    jsonb_build_object('emailId', e.id, 'campaignId', e.campaign_id) as origin
  from changed c
  left join email e on true
),
journaled as (
  insert into events (id, project_id, name, kind, contact_id, email_id, campaign_id, workflow_id, data, occurred_at)
  select $6::uuid, project_id, case when subscribed then 'contact.subscribed' else 'contact.unsubscribed' end,
    'emitted', contact_id, email_id, campaign_id, workflow_id,
    jsonb_strip_nulls(origin || jsonb_build_object('reason', case when $4 = 'snoozed' then 'snooze' end)), $9::timestamptz
  from source
  where is_flipped
  union all
  select $7::uuid, project_id, 'contact.snoozed', 'activity', contact_id, email_id, campaign_id, workflow_id,
    jsonb_strip_nulls(origin || jsonb_build_object('snoozedUntil', $10::text)), $9::timestamptz
  from source
  where $4 = 'snoozed'
  union all
  -- Not in the feed: the opt-outs of a campaign are counted from these.
  select uuidv7(), $1, 'email.unsubscribed', 'activity', $2, id, campaign_id, workflow_id,
    jsonb_strip_nulls(jsonb_build_object('emailId', id, 'campaignId', campaign_id)), $9::timestamptz
  from opted_out
  returning id, project_id, name, kind, contact_id, occurred_at
),
command as (
  insert into outbox (id, kind, subject_id, project_id, created_at, next_attempt_at)
  select $8::uuid, 'contact.snooze', contact_id, project_id, $9::timestamptz, $9::timestamptz
  from source
  where $4 = 'snoozed'
),
${countEventsSql("select * from journaled where kind = 'emitted'")}
select ${subscriberColumns}, true as "isChanged" from changed c
union all
select ${subscriberColumns}, false from target c where c.id not in (select id from changed)`;

const changedRow = subscriberRow.extend({ isChanged: z.boolean() });

/**
 * Changes a subscription from a link in an email, in one statement: the contact, the event, the activity and outbox
 * command of a snooze, and the email's opt-out, which counts once for its campaign. Repeats change nothing. Snoozing
 * again moves the end; snoozing an unsubscribed contact changes nothing.
 *
 * @returns undefined when the contact was deleted
 */
export function changeSubscription(em: Em, input: SubscriptionChangeInput) {
  const { change, occurredAt } = input;
  const until = change.to === 'snoozed' ? change.until : null;
  return queryFirst(em, changedRow, changeSql, [
    input.projectId,
    input.contactId,
    input.emailId,
    change.to,
    until,
    newId(),
    newId(),
    newId(),
    occurredAt,
    until?.toISOString() ?? null,
  ]);
}
