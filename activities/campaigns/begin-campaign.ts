import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import { holdCampaignRoom, holdDueCampaign } from '../../db/repositories/campaigns/campaign-room.ts';
import { cancelCampaign, startSending } from '../../db/repositories/campaigns/campaigns.ts';

/**
 * In a transaction: starts a scheduled campaign whose time has come, or cancels it when its recipients are more than
 * its project may still send to.
 *
 * @returns whether there was one
 */
export async function beginCampaign(em: Em, id: string): Promise<boolean> {
  const campaign = await holdDueCampaign(em, id);
  if (campaign === undefined) return false;
  const room = await holdCampaignRoom(em, campaign);
  if (room !== null && room.recipients > room.left) {
    const reason = `The campaign had ${room.recipients} recipients when it was due, and the project could send ${room.left} more emails of campaigns in that month`;
    await cancelCampaign(em, { id, outboxId: newId(), reason });
    return true;
  }
  const recipientLimit = room?.recipients ?? null;
  return startSending(em, { id, contentId: newId(), outboxId: newId(), recipientLimit }, 'when due');
}
