import { v7 as uuidv7 } from 'uuid';
import { beforeEach } from 'vitest';
import { newId } from '../../../../core/new-id.ts';
import { finishCampaign } from '../../../../temporal/activities/campaigns/begin-and-finish.ts';
import { insertContacts, startCampaign } from '../../../../test/setup/campaigns.ts';
import { type TestDatabase, useTestDatabase } from '../../../../test/setup/database.ts';
import { insertProject } from '../../../../test/setup/projects.ts';
import { Campaign, CampaignBatch } from '../../../entities/campaign.ts';
import { allProjects } from '../../../entities/project-em.ts';
import type { Em } from '../../../orm.ts';
import { sql } from '../../../testing/sql.ts';
import type { ClaimedEmail } from '../../emails/claimed-email.ts';
import type { HandOverRecord } from '../../emails/hand-overs.ts';
import { claimCampaignEmails } from '../claim-campaign-emails.ts';
import { readCampaignBatch } from '../read-campaign-batch.ts';
import { withItsCounters } from '../read-campaign-counters.ts';

export let database: TestDatabase;
export let em: Em;
export let projectId: string;

export const unknownSeconds = 120;

export async function start(recipients: number): Promise<string> {
  await insertContacts(em, projectId, recipients);
  return startCampaign(em, projectId);
}

export async function claim(
  campaignId: string,
  limit = 500,
  token = uuidv7(),
  isNoted = false,
): Promise<ClaimedEmail[]> {
  const batch = await readCampaignBatch(em, campaignId, 1);
  if (batch === undefined) throw new Error('There is a first batch');
  return claimCampaignEmails(database.em(), batch, limit, token, isNoted);
}

export const record = (email: ClaimedEmail, rest: Partial<HandOverRecord>): HandOverRecord => ({
  emailId: email.id,
  status: 'SENT',
  messageId: `m-${email.id}`,
  reason: null,
  subject: 'Hello',
  eventId: newId(),
  occurredAt: new Date(),
  ...rest,
});
export const counters = async (id: string) => {
  const own = em.fork();
  return (await withItsCounters(own, await own.findOneOrFail(Campaign, id, allProjects))).counters;
};
export const openBatches = (id: string) => em.fork().getRepository(CampaignBatch).listOpen(id, 0, 10);
export const finish = (id: string) => em.fork().transactional((own) => finishCampaign(own, id));
export const none = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  held: 0,
};
export const statuses = async (id: string) =>
  Object.fromEntries(
    (
      await sql<{ status: string; count: number }>(
        em,
        'select status, count(*)::int as count from emails where campaign_id = $1 group by status',
        [id],
      )
    ).map(({ status, count }) => [status, count]),
  );
/** Emails counted for the project, by month. */
export const usage = () =>
  sql(
    em,
    `select usage_month(now()) = month as "isNow", sum(emails)::int as emails from billing_usage
     where project_id = $1 and category = 'campaigns' group by month`,
    [projectId],
  );
/** As if the campaign had begun in the previous month. */
export async function beginMonthBefore(id: string): Promise<void> {
  await sql(em, `update campaigns set started_at = started_at - interval '1 month' where id = $1`, [id]);
  await sql(em, `update billing_usage set month = month - interval '1 month' where project_id = $1`, [
    projectId,
  ]);
}
/** Moves the claims of a campaign into the past. */
export const age = (id: string, by: number) =>
  sql(em, 'update emails set claimed_at = claimed_at - make_interval(secs => $2) where campaign_id = $1', [
    id,
    by,
  ]);

export function useCampaignStage(): void {
  const own = useTestDatabase(24);
  beforeEach(async () => {
    database = own;
    em = own.em();
    projectId = await insertProject(em);
  });
}
