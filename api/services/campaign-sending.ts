import { boundedInstant } from '../../core/bounded-instant.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { type CampaignRecord, findCampaign } from '../../db/repositories/campaigns/campaign-records.ts';
import { holdCampaignRoom } from '../../db/repositories/campaigns/campaign-room.ts';
import {
  cancelCampaign,
  queueTestEmail,
  scheduleCampaign,
  startSending,
} from '../../db/repositories/campaigns/campaigns.ts';
import { limitExceeded } from './billing-refusals.ts';
import { requireAudience } from './campaign-audience.ts';
import { requireAction } from './campaigns.ts';
import { cancelEmails } from './cancel-emails.ts';
import { holdSenderDomain } from './sender-domains.ts';

export interface CampaignSendingService {
  /**
   * Starts or schedules a campaign, moves a scheduled one.
   * @param scheduledFor any text that is a date; null and the past: at once; beyond the year 9999: its end
   * @throws DomainError `BAD_REQUEST` for a time that can't be read or a campaign that is under way or over,
   * `NOT_FOUND`, `SENDER_DOMAIN_REFUSED`, `BILLING_LIMIT_EXCEEDED` for more recipients than the project may still
   * send to
   */
  send(projectId: string, id: string, scheduledFor: string | null): Promise<CampaignRecord>;
  /**
   * Stops a campaign. What has not left is cancelled before this answers, unless it is more than a few seconds'
   * work: then the campaign's workflow finishes it.
   * @throws DomainError `BAD_REQUEST` for a campaign that is over, `NOT_FOUND`
   */
  cancel(projectId: string, id: string): Promise<CampaignRecord>;
  /** Sends a campaign to one address, as it is now. @throws DomainError `NOT_FOUND`, `SENDER_DOMAIN_REFUSED` */
  test(projectId: string, id: string, email: string): Promise<void>;
}

function readTime(text: string | null): Date | null {
  if (text === null) return null;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return boundedInstant(time);
  throw new DomainError('BAD_REQUEST', `scheduledFor is no date: ${JSON.stringify(text.slice(0, 100))}`, {
    suggestion: 'Use an ISO 8601 date-time such as 2026-12-01T09:00:00Z.',
  });
}

const monthOf = (time: Date) => time.toISOString().slice(0, 7);

/**
 * Lets a campaign through that its project may send as things stand. It is looked at again when it is due: only what
 * is being sent has its emails for certain.
 *
 * @returns most recipients that it may get, null for any number
 * @throws DomainError `BILLING_LIMIT_EXCEEDED`
 */
async function requireRoom(em: Em, row: CampaignRecord, time: Date | null): Promise<number | null> {
  const room = await holdCampaignRoom(em, row);
  if (room === null) return null;
  const now = new Date();
  const isLater = time !== null && time > now && monthOf(time) !== monthOf(now);
  const left = isLater ? room.limit : room.left;
  if (room.recipients > left) throw limitExceeded('campaigns', room.recipients, left);
  return room.recipients;
}

/** Starts, moves and stops campaigns. Each change leaves a command for the campaign's workflow. */
export function createCampaignSendingService(orm: Orm, committed: () => void): CampaignSendingService {
  const find = async (projectId: string, id: string) => {
    const row = await findCampaign(orm.em.fork(), projectId, id);
    if (row === undefined) throw notFound('Campaign');
    return row;
  };

  return {
    async send(projectId, id, scheduledFor) {
      const time = readTime(scheduledFor);
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id, 'update');
        if (row === undefined) throw notFound('Campaign');
        requireAction('send', row);
        await requireAudience(em, projectId, id, row);
        await holdSenderDomain(em, projectId, row.fromEmail);
        const recipientLimit = await requireRoom(em, row, time);
        if (time !== null) await scheduleCampaign(em, { id, scheduledFor: time, outboxId: newId() });
        const start = { id, contentId: newId(), outboxId: newId(), recipientLimit };
        await startSending(em, start, time === null ? 'at once' : 'when due');
      });
      committed();
      return find(projectId, id);
    },

    async cancel(projectId, id) {
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id, 'update');
        if (row === undefined) throw notFound('Campaign');
        requireAction('cancel', row);
        await cancelCampaign(em, { id, outboxId: newId() });
      });
      committed();
      await cancelEmails(orm, id);
      return find(projectId, id);
    },

    async test(projectId, id, email) {
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id);
        if (row === undefined) throw notFound('Campaign');
        await holdSenderDomain(em, projectId, row.fromEmail);
        await queueTestEmail(em, {
          projectId,
          campaignId: id,
          email,
          emailId: newId(),
          contentId: newId(),
          outboxId: newId(),
        });
      });
      committed();
    },
  };
}
