import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/sql.ts';
import { insertContacts } from './setup/campaigns.ts';
import { eventually } from './setup/eventually.ts';
import { startTestProduct, type TestProduct } from './setup/product.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

let stack: TestProduct;
let sender: TestSender;
beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(() => stack.close());
beforeEach(async () => {
  sender = await createTestSender(stack.url);
});

const em = () => stack.database.orm.em.fork();

async function create(changes: Record<string, unknown> = {}): Promise<string> {
  const answer = await sender.post('/campaigns', {
    name: 'News',
    subject: 'News for {{ n }}',
    body: '<p>Hello {{ n }}, <a href="https://shop.example/offer">an offer</a></p>',
    from: `news@${sender.domain}`,
    audienceType: 'ALL',
    ...changes,
  });
  return answer.body.data.id;
}

const campaign = async (id: string) => (await sender.get(`/campaigns/${id}`)).body.data;
const stats = async (id: string) => (await sender.get(`/campaigns/${id}/stats`)).body;

async function inbox(
  subject: string,
): Promise<{ to: string[]; subject: string; emailId: string; id: string }[]> {
  const query = new URLSearchParams({ subject, limit: '5000' });
  const answer = await fetch(`${stack.ses.url}/api/messages?${query}`);
  return (
    (await answer.json()) as { messages: { to: string[]; subject: string; emailId: string; id: string }[] }
  ).messages;
}

async function statuses(id: string): Promise<Record<string, number>> {
  const rows = await sql<{ status: string; count: number }>(
    em(),
    'select status, count(*)::int as count from emails where campaign_id = $1 group by status',
    [id],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

describe('a campaign that is sent', () => {
  it('reaches everyone once, is SENT, and counts what became of its emails', async () => {
    await insertContacts(em(), sender.projectId, 1_300);
    const id = await create({ subject: `All of ${sender.projectId} {{ n }}` });
    const answer = await sender.post(`/campaigns/${id}/send`, {});
    expect(answer.status).toBe(200);
    await eventually(
      () => campaign(id),
      ({ status }) => status === 'SENT',
      30_000,
    );
    const messages = await inbox(`All of ${sender.projectId}`);
    expect(messages).toHaveLength(1_300);
    expect(new Set(messages.map(({ to }) => to[0])).size).toBe(1_300);
    expect(
      messages.every(({ to, subject }) => to[0] === `reader-${subject.split(' ').at(-1)}@example.com`),
    ).toBe(true);
    await eventually(
      () => stats(id),
      ({ deliveredCount }) => deliveredCount === 1_300,
    );
    expect(await stats(id)).toMatchObject({ totalRecipients: 1_300, sentCount: 1_300 });
    expect(await statuses(id)).toEqual({ DELIVERED: 1_300 });
  });

  it('is SENT at once when its audience is empty', async () => {
    const id = await create();
    await sender.post(`/campaigns/${id}/send`, {});
    const sent = await eventually(
      () => campaign(id),
      ({ status }) => status === 'SENT',
    );
    expect(sent.totalRecipients).toBe(0);
  });
});
