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
import { lockCampaignQuota } from '../../db/statements/campaigns/campaign-quota.ts';
import {
  type CountedCampaign,
  withItsCounters,
  withoutEmails,
} from '../../db/statements/campaigns/read-campaign-counters.ts';
import { startCampaign } from '../../db/statements/campaigns/start-campaign.ts';
import { findCampaign, requireAction } from './campaigns.ts';
import { cancelEmails } from './cancel-emails.ts';
import { queueTestEmail } from './queue-test-email.ts';
import { requireAudience } from './require-audience.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { limitExceeded } from './send-limit.ts';
import { holdSenderDomain } from './sender-domains.ts';

function readTime(text: string | null): Date | null {
  if (text === null) return null;
  const time = parseInstant(text);
  if (time !== undefined) return boundedInstant(time);
  throw new DomainError('BAD_REQUEST', `scheduledFor is not a date: ${JSON.stringify(text.slice(0, 100))}`, {
    suggestion: 'Use an ISO 8601 date-time such as 2026-12-01T09:00:00Z.',
  });
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7);

/**
 * Checks the quota against the current audience. A scheduled campaign reserves no quota, so the check runs again when
 * the campaign starts.
 * @returns the maximum number of recipients; null means unlimited
 * @throws DomainError `BILLING_LIMIT_EXCEEDED`
 */
async function requireQuota(em: Em, campaign: Campaign, time: Date | null): Promise<number | null> {
  const quota = await lockCampaignQuota(em, campaign);
  if (quota === null) return null;
  const now = new Date();
  const isLater = time !== null && time > now && monthOf(time) !== monthOf(now);
  const left = isLater ? quota.limit : quota.left;
  if (quota.recipients > left) throw limitExceeded('campaigns', quota.recipients, left);
  return quota.recipients;
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

export function createCampaignSendingService(orm: Orm, committed: () => void) {
  /** @param apply returns the answer: an outage while it is read after the commit would deny what is saved */
  async function change(
    projectId: string,
    id: string,
    apply: (em: Em, campaign: Campaign) => Promise<CountedCampaign>,
  ): Promise<CountedCampaign> {
    const changed = await projectEm(orm, projectId).transactional(async (em) => {
      const campaign = await findCampaign(em, id, LockMode.PESSIMISTIC_WRITE);
      const answer = await apply(em, campaign);
      em.create(OutboxCommand, { kind: 'campaign.changed', subjectId: id, projectId });
      return answer;
    });
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
      return change(projectId, id, async (em, campaign) => {
        requireAction('send', campaign);
        requireUnchanged(campaign, seen);
        await requireAudience(em, projectId, id, campaign);
        await holdSenderDomain(em, campaign.fromEmail);
        const recipientLimit = await requireQuota(em, campaign, time);
        if (time === null) campaign.scheduledFor = null;
        else schedule(em, campaign, time);
        const isDue = time === null || time <= new Date();
        if (isDue) await startCampaign(em, campaign, recipientLimit);
        return withoutEmails(campaign);
      });
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
      await cancelEmails(orm, id);
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
        const campaign = await findCampaign(em, id);
        await holdSenderDomain(em, campaign.fromEmail);
        await queueTestEmail(em, campaign, email);
      });
      committed();
    },
  };
}
