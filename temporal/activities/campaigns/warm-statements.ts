import { contactsInFirstPiece } from '../../../core/campaign-batches.ts';
import { newId } from '../../../core/new-id.ts';
import type { Orm } from '../../../db/orm.ts';
import { claimCampaignEmails } from '../../../db/statements/campaigns/claim-campaign-emails.ts';
import { countSendingProjects } from '../../../db/statements/campaigns/count-sending-projects.ts';
import { beginFreeze } from '../../../db/statements/campaigns/freeze-audience.ts';
import { readNextBatch } from '../../../db/statements/campaigns/read-campaign-batch.ts';
import { recordHandOvers } from '../../../db/statements/emails/hand-overs.ts';
import { loadContents } from '../../../db/statements/emails/load-contents.ts';
import type { Warn } from '../../../runtime/logger.ts';

/** Connections of each pool that a campaign needs at its start. */
export const keptOpen = 2;

/**
 * Runs the first statements of a campaign for one that does not exist. They change nothing, but spare the first email
 * of the first campaign the wait for connections and plans. Never rejects.
 */
export async function warmStatements(orm: Orm, warn: Warn): Promise<void> {
  const id = newId();
  const em = () => orm.em.fork();
  const onEach = (run: () => Promise<unknown>) => Promise.all(Array.from({ length: keptOpen }, run));
  const nobody = { campaignId: id, firstEmailId: id, lastEmailId: id };
  const outcome = {
    emailId: id,
    eventId: id,
    status: 'SENT',
    messageId: id,
    reason: null,
    subject: '',
  } as const;
  try {
    await onEach(() => beginFreeze(em(), id, contactsInFirstPiece));
    await onEach(() => readNextBatch(em(), id, 0));
    await loadContents(em(), [id]);
    await onEach(() => countSendingProjects(em()));
    await onEach(() => claimCampaignEmails(em(), nobody, 1, id));
    await onEach(() => recordHandOvers(em(), id, [{ ...outcome, occurredAt: new Date() }]));
  } catch (error) {
    warn('Could not prepare the statements of campaigns', error);
  }
}
