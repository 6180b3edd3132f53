import { LockMode } from '@mikro-orm/core';
import { boundedInstant } from '../../core/bounded-instant.ts';
import { DomainError } from '../../core/errors.ts';
import { parseInstant } from '../../core/parse-instant.ts';
import { unlessAway } from '../../db/database-away.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { Event } from '../../db/entities/event.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/statements/campaigns/campaign-audience.ts';
import { hasCampaignLimit, lockCampaignQuota } from '../../db/statements/campaigns/campaign-quota.ts';
import {
  type CountedCampaign,
  withItsCounters,
  withoutEmails,
} from '../../db/statements/campaigns/read-campaign-counters.ts';
import { startCampaign } from '../../db/statements/campaigns/start-campaign.ts';
import { findCampaign, requireAction } from './campaigns.ts';
import { cancelEmails } from './cancel-emails.ts';
import type { ProjectPlaces } from './project-places.ts';
import { queueTestEmail } from './queue-test-email.ts';
import { requireAudience } from './require-audience.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { limitExceeded } from './send-limit.ts';
import { holdSenderDomain } from './sender-domains.ts';

function readTime(text: string | null): Date | null {
  if (text === null) return null;
  const time = parseInstant(text);
  if (time !== undefined) return boundedInstant(time);
  throw new DomainError(
    'BAD_REQUEST',
    `scheduledFor is not a date: ${JSON.stringify(text.slice(0, 100).toWellFormed())}`,
    {
      suggestion: 'Use an ISO 8601 date-time such as 2026-12-01T09:00:00Z.',
    },
  );
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7);

interface Counted {
  updatedAt: Date;
  /** Null when the project had no limit. */
  recipients: number | null;
}

/**
 * Checks the quota against the audience as it was counted. A scheduled campaign reserves no quota, so the check runs again
 * when the campaign starts.
 * @returns the maximum number of recipients; null means unlimited
 * @throws DomainError `BILLING_LIMIT_EXCEEDED`, `CONFLICT` when the campaign or the limit was changed since the count
 */
async function requireQuota(
  em: Em,
  campaign: Campaign,
  time: Date | null,
  { updatedAt, recipients }: Counted,
): Promise<number | null> {
  const quota = await lockCampaignQuota(em, campaign.projectId);
  if (quota === null) return null;
  if (recipients === null || campaign.updatedAt.getTime() !== updatedAt.getTime()) {
    throw new DomainError(
      'CONFLICT',
      'The campaign or the limit of the project was changed while its recipients were counted',
      { suggestion: 'Look at the campaign, and send it again.' },
    );
  }
  const now = new Date();
  const isLater = time !== null && time > now && monthOf(time) !== monthOf(now);
  const left = isLater ? quota.limit : quota.left;
  if (recipients > left) throw limitExceeded('campaigns', recipients, left);
  return recipients;
}

/** In a place of its own: neither the write's place nor its transaction, for which others wait, is held meanwhile. */
async function countForQuota(em: Em, id: string, heavyReads: ProjectPlaces): Promise<Counted> {
  const campaign = await findCampaign(em, id);
  requireAction('send', campaign);
  const { projectId, updatedAt } = campaign;
  const recipients = (await hasCampaignLimit(em, projectId))
    ? await heavyReads.run(projectId, () => countRecipients(em, campaign))
    : null;
  return { updatedAt, recipients };
}

function schedule(em: Em, campaign: Campaign, scheduledFor: Date): void {
  const { id, projectId, name, subject } = campaign;
  em.assign(campaign, { status: 'SCHEDULED', scheduledFor });
  em.create(Event, {
    projectId,
    name: 'campaign.scheduled',
    kind: 'activity',
    campaignId: id,
    data: { campaignId: id, campaignName: name, subject, scheduledFor: scheduledFor.toISOString() },
    occurredAt: new Date(),
  });
}

export function createCampaignSendingService(
  orm: Orm,
  { writes, heavyReads }: Record<'writes' | 'heavyReads', ProjectPlaces>,
  committed: () => void,
) {
  /** @param apply returns the answer: an outage while it is read after the commit would deny what is saved */
  async function change(
    projectId: string,
    id: string,
    apply: (em: Em, campaign: Campaign) => Promise<CountedCampaign>,
  ): Promise<CountedCampaign> {
    const write = () =>
      projectEm(orm, projectId).transactional(async (em) => {
        const campaign = await findCampaign(em, id, LockMode.PESSIMISTIC_WRITE);
        const answer = await apply(em, campaign);
        em.create(OutboxCommand, { kind: 'campaign.changed', subjectId: id, projectId });
        return answer;
      });
    const changed = await writes.run(projectId, write);
    committed();
    return changed;
  }

  return {
    /**
     * Starts or schedules a campaign, or reschedules it.
     * @param scheduledFor a date in any format that `Date` parses; null or a past date sends at once; dates after the
     * year 9999 are clamped
     * @param seen the version that is to be sent
     * @throws DomainError `BAD_REQUEST` for an invalid date or a campaign that was already started, `NOT_FOUND`,
     * `CONFLICT` for another version, `SENDER_DOMAIN_REFUSED`, `BILLING_LIMIT_EXCEEDED` when recipients exceed the quota
     */
    async send(projectId: string, id: string, scheduledFor: string | null, seen?: Date) {
      const time = readTime(scheduledFor);
      const counted = await countForQuota(projectEm(orm, projectId), id, heavyReads);
      const apply = async (em: Em, campaign: Campaign): Promise<CountedCampaign> => {
        requireAction('send', campaign);
        requireUnchanged(campaign, seen);
        await requireAudience(em, projectId, id, campaign);
        await holdSenderDomain(em, campaign.fromEmail);
        const recipientLimit = await requireQuota(em, campaign, time, counted);
        if (time === null) campaign.scheduledFor = null;
        else schedule(em, campaign, time);
        const isDue = time === null || time <= new Date();
        if (isDue) await startCampaign(em, campaign, recipientLimit);
        return withoutEmails(campaign);
      };
      return change(projectId, id, apply);
    },

    /**
     * Stops a campaign and spends up to 5 seconds cancelling its unsent emails; the campaign's workflow cancels the
     * rest.
     * @throws DomainError `BAD_REQUEST` for a campaign that is over, `NOT_FOUND`
     */
    async cancel(projectId: string, id: string) {
      const cancelled = await change(projectId, id, async (em, campaign) => {
        requireAction('cancel', campaign);
        const counted = await withItsCounters(em, campaign);
        campaign.cancel();
        return { ...counted, pause: null };
      });
      await cancelEmails(orm, writes, projectId, id);
      const em = projectEm(orm, projectId);
      // Null when another call has deleted it since.
      const recounted = em.findOne(Campaign, { id }).then((found) => found && withItsCounters(em, found));
      return (await unlessAway(recounted)) ?? cancelled;
    },

    /**
     * Sends the campaign in its current form to one address.
     * @throws DomainError `NOT_FOUND`, `SENDER_DOMAIN_REFUSED`
     */
    async test(projectId: string, id: string, email: string) {
      await projectEm(orm, projectId).transactional(async (em) => {
        await queueTestEmail(em, await findCampaign(em, id), email);
      });
      committed();
    },
  };
}
