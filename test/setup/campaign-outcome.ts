import { expect } from 'vitest';
import { recountCampaign } from '../../db/statements/campaigns/campaign-figures.ts';
import { insertContacts } from './campaigns.ts';
import { draftCampaign } from './draft-campaign.ts';
import { emailStatuses } from './email-statuses.ts';
import { eventually } from './eventually.ts';
import type { ProcessStack } from './process-stack.ts';
import { createTestSender, type TestSender } from './sender.ts';

const patienceMs = 420_000;

export async function createAudience(stack: ProcessStack, recipients: number): Promise<TestSender> {
  const sender = await createTestSender(stack.url);
  await insertContacts(stack.em(), sender.projectId, recipients);
  return sender;
}

export async function sendCampaign(sender: TestSender, name = 'News'): Promise<string> {
  const id = await draftCampaign(sender, { name, subject: `${name} for {{ n }}` });
  const sent = await sender.post(`/campaigns/${id}/send`, {});
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  return id;
}

export const statusesOf = (stack: ProcessStack, id: string) => emailStatuses(stack, 'campaign_id = $1', id);

export function untilStatuses(
  stack: ProcessStack,
  id: string,
  satisfy: (counts: Record<string, number>) => boolean,
): Promise<Record<string, number>> {
  return eventually(() => statusesOf(stack, id), satisfy, patienceMs);
}

export async function untilCampaignIs(sender: TestSender, id: string, status: string): Promise<void> {
  await eventually(
    async () => (await sender.get(`/campaigns/${id}`)).body.data?.status,
    (found) => found === status,
    patienceMs,
  );
}

/** Fails if someone got two messages. @returns the recipients */
export async function expectNobodyTwice(stack: ProcessStack): Promise<string[]> {
  const { messages } = await stack.inbox();
  const reached = messages.flatMap(({ to }) => to);
  expect(new Set(reached).size).toBe(reached.length);
  return reached;
}

/** Waits for the end of the campaign, then expects one email per recipient and consistent counters. */
export async function expectExactlyOnce(
  stack: ProcessStack,
  sender: TestSender,
  id: string,
  recipients: number,
): Promise<void> {
  await untilStatuses(stack, id, (counts) => counts.DELIVERED === recipients);
  await untilCampaignIs(sender, id, 'SENT');
  expect(await expectNobodyTwice(stack)).toHaveLength(recipients);
  await expectBooksAgree(stack, sender, id, recipients);
  const stats = await sender.get(`/campaigns/${id}/stats`);
  expect(stats.body).toMatchObject({ sentCount: recipients, deliveredCount: recipients });
}

/** Expects that statuses add up to the recipients, counters match a recount, and the journal has each send once. */
export async function expectBooksAgree(
  stack: ProcessStack,
  sender: TestSender,
  id: string,
  recipients: number,
): Promise<void> {
  const counts = await statusesOf(stack, id);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(recipients);
  const stats = await sender.get(`/campaigns/${id}/stats`);
  expect(stats.body).toMatchObject({ totalRecipients: recipients });
  expect(await recountCampaign(stack.em(), id)).toBe(0);
  const [journal] = await stack.sql<{ rows: number; emails: number; sent: number }>(
    `select count(*)::int as rows, count(distinct email_id)::int as emails,
       (select count(sent_at)::int from emails where campaign_id = $1) as sent
     from events where name = 'email.sent' and campaign_id = $1`,
    [id],
  );
  expect(journal).toEqual({ rows: journal?.sent, emails: journal?.sent, sent: journal?.sent });
}
