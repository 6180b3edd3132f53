import { BillingLimit } from '../../entities/billing.ts';
import type { Em } from '../../orm.ts';
import { lockRemainingQuota } from '../billing/monthly-quota.ts';
import { type AudienceChoice, countRecipients } from './campaign-audience.ts';

/**
 * Counts the recipients and locks the month's remaining quota until the transaction ends. Counting reads the audience,
 * so it is skipped when there is no limit.
 *
 * @returns null when there is no limit
 */
export async function lockCampaignQuota(em: Em, campaign: AudienceChoice) {
  const { campaigns: limit } = await em.getRepository(BillingLimit).ofProject(campaign.projectId);
  if (limit === null) return null;
  const recipients = await countRecipients(em, campaign);
  const left = await lockRemainingQuota(em, campaign.projectId, 'campaigns');
  return left === null ? null : { recipients, left, limit };
}
