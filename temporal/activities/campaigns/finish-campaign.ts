import { Campaign, CampaignBatch } from '../../../db/entities/campaign.ts';
import { Event } from '../../../db/entities/event.ts';
import type { Em } from '../../../db/orm.ts';
import { lockedOfAllProjects } from '../../../db/project-em.ts';

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
