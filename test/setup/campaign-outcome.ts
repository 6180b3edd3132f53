import { expect } from 'vitest';
import { recountCampaign } from '../../db/repositories/campaigns/campaign-figures.ts';
import { sql } from '../../db/sql.ts';
import { insertContacts } from './campaigns.ts';
import { eventually } from './eventually.ts';
import type { ProcessStack } from './process-stack.ts';
import { createTestSender, type TestSender } from './sender.ts';

/** A dead run's claims are looked at after a minute, and the machine may be busy. */
const patienceMs = 420_000;

/** A project with `recipients` subscribed contacts. */
export async function createAudience(stack: ProcessStack, recipients: number): Promise<TestSender> {
  const sender = await createTestSender(stack.apiUrl);
  await insertContacts(stack.em(), sender.projectId, recipients);
  return sender;
}

/** Sends a campaign to everyone. @returns its id */
export async function sendCampaign(sender: TestSender, name = 'News'): Promise<string> {
  const created = await sender.post('/campaigns', {
    name,
    subject: `${name} for {{ n }}`,
    body: '<p>Hello {{ n }}</p>',
    from: `news@${sender.domain}`,
    audienceType: 'ALL',
  });
  const { id } = created.body.data;
  const sent = await sender.post(`/campaigns/${id}/send`, {});
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  return id;
}

/** Emails of a campaign by status. */
export async function statusesOf(stack: ProcessStack, id: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }>(
    stack.em(),
    'select status, count(*)::int as count from emails where campaign_id = $1 group by status',
    [id],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Waits until the emails of a campaign stand so. */
export function untilStatuses(
  stack: ProcessStack,
  id: string,
  satisfy: (counts: Record<string, number>) => boolean,
): Promise<Record<string, number>> {
  return eventually(() => statusesOf(stack, id), satisfy, patienceMs);
}

/** Waits until the campaign itself has the status. */
export async function untilCampaignIs(sender: TestSender, id: string, status: string): Promise<void> {
  await eventually(
    async () => (await sender.get(`/campaigns/${id}`)).body.data?.status,
    (found) => found === status,
    patienceMs,
  );
}

/** Whom the messages in the inbox went to; fails when someone got two. */
export async function expectNobodyTwice(stack: ProcessStack): Promise<string[]> {
  const { messages } = await stack.inbox();
  const reached = messages.flatMap(({ to }) => to);
  expect(new Set(reached).size).toBe(reached.length);
  return reached;
}

/** Waits for the end of the campaign: everyone got one, nobody two, and the books agree. */
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

/** The statuses add up to the recipients, the counters to a recount, and the journal says once what was sent. */
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
  const [journal] = await sql<{ rows: number; emails: number; sent: number }>(
    stack.em(),
    `select count(*)::int as rows, count(distinct email_id)::int as emails,
       (select count(sent_at)::int from emails where campaign_id = $1) as sent
     from events where name = 'email.sent' and campaign_id = $1`,
    [id],
  );
  expect(journal).toEqual({ rows: journal?.sent, emails: journal?.sent, sent: journal?.sent });
}
