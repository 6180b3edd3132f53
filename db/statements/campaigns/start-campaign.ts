import { z } from 'zod';
import { campaignStartedChannel } from '../../database-listener.ts';
import type { Campaign } from '../../entities/campaign.ts';
import { EmailContent } from '../../entities/email.ts';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

/**
 * Starts a campaign that the transaction has locked: copies its content and limits the audience to contacts that
 * exist now. The freeze counts the recipients. The commit notifies the workers, so the first email does not wait for
 * Temporal.
 *
 * @param recipientLimit null means no limit
 */
export async function startCampaign(
  em: Em,
  campaign: Campaign,
  recipientLimit: number | null,
): Promise<void> {
  const { projectId, subject, body, fromEmail, fromName, replyTo } = campaign;
  const content = em.create(EmailContent, { projectId, subject, body, fromEmail, fromName, replyTo });
  em.assign(campaign, {
    status: 'SENDING',
    startedAt: await startAudience(em, campaign),
    contentId: content.id,
    totalRecipients: 0,
    recipientLimit,
  });
}

/** Contacts' `created_at` comes from the clock of the creating process, which may be ahead of the database's. */
async function startAudience(em: Em, { id, projectId }: Campaign): Promise<Date> {
  const sql = `select greatest(clock_timestamp(), (select max(created_at) from contacts where project_id = $1)) as end,
       pg_notify('${campaignStartedChannel}', $2)`;
  const { end } = await queryRow(em, z.object({ end: z.date() }), sql, [projectId, id]);
  return end;
}
