import { z } from 'zod';
import { emailStatuses } from '../../../core/email-state.ts';
import { appendEmailFiguresSql } from '../../fragments/append-email-figures-sql.ts';
import { appendFiguresSql, figureChangesSql } from '../../fragments/campaign-figures-sql.ts';
import { countEventsSql } from '../../fragments/count-events-sql.ts';
import { isKeySql, joinByKeySql } from '../../fragments/join-by-key.ts';
import { laterThanSql } from '../../fragments/later-than-sql.ts';
import { lockTimeoutSql } from '../../fragments/lock-timeout-sql.ts';
import { matchLimit, matchLimitSql } from '../../fragments/match-limit-sql.ts';
import type { Em } from '../../orm.ts';
import { preparedQuery } from '../../sql.ts';
import {
  emailEventColumns,
  emailEventDataSql,
  onlyOfContactSql,
  unlessErasedSql,
} from './email-event-sql.ts';
import { isNotHandledBeforeSql } from './handled-before-sql.ts';

export type ProviderEventKind = 'send' | 'delivery' | 'open' | 'click' | 'bounce' | 'complaint' | 'reject';

export interface ProviderEventInput {
  notificationId: string;
  /** Day of publication (UTC), such as 2026-11-23. */
  publishedOn: string;
  /** Whose email it is by its tags, for turns among projects; empty without the tag. */
  taggedProjectId: string;
  emailId: string;
  kind: ProviderEventKind;
  occurredAt: Date;
  messageId: string | null;
  subject: string | null;
  link: string | null;
  /** Permanent, Transient or Undetermined; only Permanent changes the email or the contact. */
  bounceType: string | null;
  /** Whether the provider did not try to deliver because its account suppression list has the address. */
  isListed: boolean;
  /** The provider's explanation of a bounce or complaint, at most 500 characters; may contain the address. */
  diagnostic: string | null;
  /** These three ids ascend (`newIds`): events of one instant are listed by id. */
  sentEventId: string;
  eventId: string;
  unsubscribeEventId: string;
}

const outcomeRow = z.object({ outcome: z.enum(['applied', 'duplicate', 'unknown']) });

/** `duplicate`: the notification was applied before. `unknown`: no such email. */
export type ProviderEventOutcome = z.output<typeof outcomeRow>['outcome'];

/**
 * SQL for the rank of a status. Only a higher rank replaces a status, so order and repetition of events do not matter.
 */
const rankSql = (status: string) => `array_position(array['${emailStatuses.join("', '")}'], ${status})`;

const isHigherSql = `(${rankSql('i.reached')} > ${rankSql('e.status')})`;

const earliestSql = (column: string, isProven: string) =>
  `${column} = case when ${isProven} then least(e.${column}, i."occurredAt") else e.${column} end`;

const applySql = `
with input as materialized (
  select t.*, t."kind" = 'bounce' and t."bounceType" = 'Permanent' as hard_bounce,
    case t."kind"
      when 'send' then 'SENT'
      when 'delivery' then 'DELIVERED'
      when 'open' then 'OPENED'
      when 'click' then 'CLICKED'
      when 'complaint' then 'COMPLAINED'
      when 'reject' then 'FAILED'
      when 'bounce' then case when t."bounceType" = 'Permanent' then 'BOUNCED' end
    end as reached
  from json_to_recordset($1::json) as t(
    "ord" int, "notificationId" uuid, "publishedOn" date, "emailId" uuid, "kind" text, "occurredAt" timestamptz, "messageId" text,
    "subject" text, "link" text, "bounceType" text, "isListed" boolean, "diagnostic" text, "sentEventId" uuid,
    "eventId" uuid, "unsubscribeEventId" uuid), ${lockTimeoutSql('$2::text')} patience, ${matchLimitSql('$3::text')} matches
),
fresh as (
  insert into handled_notifications (id, published_on)
  select "notificationId", "publishedOn" from input i
  where ${isNotHandledBeforeSql('i."notificationId"')}
  order by "notificationId"
  on conflict (id, published_on) do nothing
  returning id
),
applied as (
  update emails e
  set status = case when ${isHigherSql} then i.reached else e.status end,
    reason = case when ${isHigherSql} is not true then e.reason when i.reached = 'FAILED' then 'rejected by the provider' end,
    message_id = coalesce(e.message_id, i."messageId"),
    subject = ${unlessErasedSql('e', 'coalesce(e.subject, i."subject")')},
    ${earliestSql('sent_at', `i.reached <> 'FAILED'`)},
    confirmed_at = case when i."kind" = 'send' then coalesce(e.confirmed_at, now()) else e.confirmed_at end,
    ${earliestSql('delivered_at', `i."kind" = 'delivery'`)},
    ${earliestSql('opened_at', `i."kind" in ('open', 'click')`)},
    ${earliestSql('clicked_at', `i."kind" = 'click'`)},
    ${earliestSql('bounced_at', 'i.hard_bounce')},
    ${earliestSql('complained_at', `i."kind" = 'complaint'`)},
    opens = e.opens + (i."kind" = 'open')::int,
    clicks = e.clicks + (i."kind" = 'click')::int
  -- In the common lock order of emails.
  from (
    select input.* from input join fresh on fresh.id = input."notificationId" order by input."emailId"
  ) i
  where ${isKeySql('e.id', 'i."emailId"')}
  returning e.*, i."kind" as kind, i.hard_bounce, i."occurredAt" as occurred_at, i."link" as link,
    i."bounceType" as bounce_type, i."isListed" as is_listed, i."diagnostic" as diagnostic,
    i."sentEventId" as sent_event_id, i."eventId" as event_id, i."unsubscribeEventId" as unsubscribe_event_id,
    old.sent_at is null and new.sent_at is not null as newly_sent,
    case i."kind"
      when 'delivery' then old.delivered_at is null
      when 'open' then old.opens = 0
      when 'click' then old.clicks = 0
      when 'complaint' then old.complained_at is null
      when 'bounce' then not i.hard_bounce or old.bounced_at is null
      else false
    end as first_of_kind,
    ${figureChangesSql()}
),
figures as (${appendFiguresSql('applied')}
),
project_figures as (${appendEmailFiguresSql('applied', {
  sent: 'newly_sent',
  // As in the provider's own rates, an address that was already suppressed does not count against the sender.
  bounced: 'hard_bounce and first_of_kind and not is_listed',
  complained: "kind = 'complaint' and first_of_kind and not is_listed",
})}
),
reason as materialized (
  select distinct on (contact_id, to_email) * from applied
  where contact_id is not null and not custom_recipient and first_of_kind and (hard_bounce or kind = 'complaint')
  order by contact_id, to_email, kind desc
),
suppressible as materialized (
  select c.id, a.kind, a.id as email_id, a.occurred_at, a.unsubscribe_event_id, a.hops
  from (select * from reason order by project_id, to_email) a
  -- An existing suppression keeps its cause, except that a complaint replaces a bounce. The contact may have another
  -- address by now.
  cross join lateral (${joinByKeySql(
    `contacts c where c.id = a.contact_id and c.email = a.to_email
      and (c.suppression_reason is null or (c.suppression_reason = 'bounce' and a.kind = 'complaint'))`,
    'for no key update',
  )}) c
),
suppressed as (
  update contacts c
  set subscribed = false, snoozed_until = null, suppression_reason = s.kind, suppressed_at = s.occurred_at,
    suppressed_email_id = s.email_id, updated_at = ${laterThanSql('now()', 'c.updated_at')}, moved_hops = nullif(s.hops, 0),
    moved_at = case when s.hops > 0 then now() end
  from suppressible s
  where ${isKeySql('c.id', 's.id')}
  returning c.id, c.project_id, s.kind, s.email_id, s.occurred_at, s.unsubscribe_event_id, s.hops,
    old.subscribed as was_subscribed
),
journaled as (
  insert into events (${emailEventColumns})
  select n.id, a.project_id, n.name, 'emitted', ${onlyOfContactSql('a', 'contact_id')}, a.id, a.campaign_id, a.workflow_id,
    ${emailEventDataSql('a')} || n.extra, a.occurred_at, a.hops
  from applied a
  cross join lateral (
    select a.sent_event_id as id, 'email.sent' as name, '{}'::jsonb as extra
    where a.newly_sent
    union all
    select a.event_id, 'email.' || a.kind,
      case a.kind
        when 'open' then json_object('opens': a.opens, 'isFirst': a.first_of_kind,
          'countsAsOpen': nullif(a.opened_change = 1, false) absent on null returning jsonb)
        when 'click' then json_object('clicks': a.clicks, 'isFirst': a.first_of_kind,
          'link': ${onlyOfContactSql('a', 'link')},
          'countsAsOpen': nullif(a.opened_change = 1, false) absent on null returning jsonb)
        when 'bounce' then json_object('bounceType': a.bounce_type, 'diagnostic': ${unlessErasedSql('a', 'a.diagnostic')}
          absent on null returning jsonb)
        when 'complaint' then json_object('diagnostic': ${unlessErasedSql('a', 'a.diagnostic')} absent on null returning jsonb)
        else '{}'
      end
    where a.kind in ('open', 'click') or (a.kind in ('delivery', 'bounce', 'complaint') and a.first_of_kind)
  ) n
  union all
  select unsubscribe_event_id, project_id, 'contact.unsubscribed', 'emitted', id, email_id, null, null,
    jsonb_build_object('reason', kind, 'emailId', email_id), occurred_at, hops
  from suppressed
  where was_subscribed
  returning id, project_id, name, contact_id, occurred_at
),
${countEventsSql('select * from journaled')}
select case
    when f.id is null then 'duplicate'
    when a.id is null then 'unknown'
    else 'applied'
  end as outcome
from input i
left join fresh f on f.id = i."notificationId"
left join applied a on a.id = i."emailId"
order by i."ord"`;

/**
 * Applies a batch of provider events in one statement: email states, suppressions after hard bounces and complaints,
 * campaign figures, journal and statistics. Each event must be about a different email. Repeats are ignored, and any
 * order leads to the same state.
 *
 * @param lockMs lock timeout; by default that of the session
 * @returns an outcome per event, in order
 */
export async function applyProviderEvents(
  em: Em,
  events: ProviderEventInput[],
  lockMs?: number,
): Promise<ProviderEventOutcome[]> {
  const rows = events.map((event, ord) => ({ ...event, ord }));
  const limit = matchLimit(events.length, lockMs !== undefined);
  const parameters = [JSON.stringify(rows), lockMs?.toString() ?? null, limit];
  const answers = await preparedQuery(em, 'apply_provider_events', outcomeRow, applySql, parameters);
  return answers.map((answer) => answer.outcome);
}
