import { Campaign, CampaignBatch } from '../../../db/entities/campaign.ts';
import { Event } from '../../../db/entities/event.ts';
import { OutboxCommand } from '../../../db/entities/outbox-command.ts';
import { allProjects, lockedOfAllProjects } from '../../../db/entities/project-em.ts';
import type { Em } from '../../../db/orm.ts';
import { lockCampaignQuota } from '../../../db/statements/campaigns/campaign-quota.ts';
import { startCampaign } from '../../../db/statements/campaigns/start-campaign.ts';
import { lockSegmentReferences } from '../../../db/statements/segments/lock-segment-references.ts';

const isDue = (id: string) => ({ id, status: 'SCHEDULED', scheduledFor: { $lte: new Date() } }) as const;

export const findDue = (em: Em, id: string): Promise<Campaign | null> =>
  em.findOne(Campaign, isDue(id), allProjects);

/**
 * Starts a scheduled campaign that is due, or cancels it when it has more recipients than the project's remaining quota.
 * If its sender's domain is no longer verified, it starts paused. Needs a transaction.
 *
 * @param recipients of the campaign as it was `seen`; null when the project has no limit
 * @returns false when no such campaign is due, or it has changed since
 */
export async function beginCampaign(
  em: Em,
  { id, updatedAt: seen }: Pick<Campaign, 'id' | 'updatedAt'>,
  recipients: number | null,
): Promise<boolean> {
  const campaign = await em.findOne(Campaign, isDue(id), lockedOfAllProjects);
  if (campaign === null || campaign.updatedAt.getTime() !== seen.getTime()) return false;
  // An edit of a segment either comes before the start or finds the freeze.
  if (campaign.audienceType !== 'ALL') await lockSegmentReferences(em, campaign.projectId);
  const quota = await lockCampaignQuota(em, campaign.projectId);
  // The limit is new.
  if (quota !== null && recipients === null) return false;
  const limited = quota === null ? null : recipients;
  if (quota !== null && limited !== null && limited > quota.left) {
    campaign.cancel(
      `The campaign had ${limited} recipients when it was due, but the project could send only ${quota.left} more campaign emails that month`,
    );
  } else {
    await startCampaign(em, campaign, limited);
  }
  em.create(OutboxCommand, { kind: 'campaign.changed', subjectId: id, projectId: campaign.projectId });
  return true;
}

/**
 * Ends a campaign that has nothing left to send and adds `campaign.sent` to the activity feed. Needs a transaction.
 *
 * @returns false when it is not sending or still has open batches
 */
export async function finishCampaign(em: Em, id: string): Promise<boolean> {
  const sending = { id, status: 'SENDING', frozenAt: { $ne: null } } as const;
  const campaign = await em.findOne(Campaign, sending, lockedOfAllProjects);
  if (campaign === null) return false;
  const [open] = await em.getRepository(CampaignBatch).listOpen(id, 0, 1);
  if (open !== undefined) return false;
  const { projectId, name, subject, totalRecipients } = campaign;
  const now = new Date();
  em.assign(campaign, { status: 'SENT', sentAt: now });
  em.create(Event, {
    projectId,
    name: 'campaign.sent',
    kind: 'activity',
    campaignId: id,
    data: { campaignId: id, campaignName: name, subject, totalRecipients },
    occurredAt: now,
  });
  return true;
}
