import { z } from 'zod';
import { claimLeaseSeconds, providerAnswerSeconds } from '../../../core/claim-times.ts';
import { firstUuidAtSql } from '../../fragments/uuid-at-sql.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const evidenceRow = z.object({
  /** Send events have proven to arrive for all hand-overs claimed before this instant; null when none was confirmed. */
  provenUntil: z.date().nullable(),
  /** When it was read, if Send events had confirmed every accepted hand-over, and at least one; otherwise null. */
  completeAt: z.date().nullable(),
  /** Longest delay of a Send event in this campaign; null when none has arrived. */
  lagSeconds: z.number().nullable(),
});

/** Evidence that the provider's Send events are arriving, so that a missing one is conclusive. */
export type SendEventEvidence = z.output<typeof evidenceRow>;

/** No proof either way: emails in doubt stay UNKNOWN. */
export const noEvidence: SendEventEvidence = { provenUntil: null, completeAt: null, lagSeconds: null };

/** No decision yet: emails in doubt keep waiting. */
export const undecided: SendEventEvidence = {
  provenUntil: null,
  completeAt: null,
  lagSeconds: Number.POSITIVE_INFINITY,
};

/**
 * Aggregates all emails of the campaign, so call it only when emails are in doubt.
 *
 * @param unknownSeconds how long an unanswered hand-over waits for the provider's event
 */
export function readSendEventEvidence(
  em: Em,
  campaignId: string,
  unknownSeconds: number,
): Promise<SendEventEvidence> {
  const sql = `with campaign as (
       select max(sent_at) filter (where confirmed_at is not null) as proven,
         coalesce(bool_and(confirmed_at is not null) filter (where message_id is not null), false) as is_complete,
         extract(epoch from max(confirmed_at - sent_at))::float8 as lag
       from emails where campaign_id = $1
     ),
     -- A later hand-over of any project proves just as much: all events arrive through the same channel.
     others as (
       select sent_at from emails
       where confirmed_at is not null
         and id > ${firstUuidAtSql('now() - make_interval(secs => $2)')}
       order by id desc limit 1
     )
     select greatest(proven, (select sent_at from others)) - make_interval(secs => $3) as "provenUntil",
       case when is_complete then now() end as "completeAt", lag as "lagSeconds"
     from campaign`;
  const parameters = [campaignId, unknownSeconds * 4, claimLeaseSeconds + providerAnswerSeconds];
  return queryRow(em, evidenceRow, sql, parameters);
}
