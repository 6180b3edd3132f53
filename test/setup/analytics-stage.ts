import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type OwnClickHouse, startOwnClickHouse } from '../../local/testing/own-clickhouse.ts';
import { draftCampaign } from './draft-campaign.ts';
import { onlyMessageTo, reportEvent } from './inbox.ts';
import { type OwnProduct, startTestProduct } from './product.ts';
import { createTestSender, type TestSender } from './sender.ts';

let directory: string;
export let front: OwnClickHouse;
export let stack: OwnProduct;
export let sender: TestSender;
export let campaignId: string;

/** Every endpoint that answers from ClickHouse. */
export const endpoints = [
  '/activity?limit=100',
  '/activity?types=email.opened,email.clicked',
  '/activity/stats',
  '/activity/recent-count?minutes=600',
  '/activity/types',
  '/analytics/timeseries',
  '/analytics/timeseries?interval=hour',
  '/analytics/top-campaigns',
  '/analytics/top-campaigns?metric=clicks',
  '/analytics/top-campaigns?metric=sent&limit=1',
  '/analytics/campaign-stats',
  '/analytics/top-events',
  '/events',
  '/events/names',
  '/events/stats',
];

/** Parameters of a past day and hour, so that answers at two moments can be compared. */
export const fixed = () => {
  const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  return (endpoint: string) =>
    /timeseries|top-|campaign-stats|stats/.test(endpoint)
      ? `${endpoint}${endpoint.includes('?') ? '&' : '?'}startDate=${from}&endDate=${until}`
      : endpoint;
};

async function report(address: string, type: string): Promise<void> {
  const message = await onlyMessageTo(stack.ses, address);
  await reportEvent(stack.ses, message.id, {
    type,
    ...(type === 'click' && { link: 'https://shop.example/offer' }),
  });
}

/** A campaign with every kind of event: one email is clicked without an open, one leads to an opt-out. */
async function sendCampaign(): Promise<string> {
  const mailbox = (name: string) => `${name}@simulator.amazonses.com`;
  const addresses = ['success+a', 'success+b', 'success+c', 'opened', 'clicked', 'bounce', 'complaint'].map(
    mailbox,
  );
  for (const email of addresses) await sender.post('/contacts', { email });
  const id = await draftCampaign(sender, {
    subject: 'News',
    body: '<p><a href="https://shop.example/offer">Offer</a></p>',
  });
  await sender.post(`/campaigns/${id}/send`, {});
  await report(mailbox('success+a'), 'click');
  for (let n = 0; n < 2; n += 1) await report(mailbox('success+b'), 'open');
  const { html } = await onlyMessageTo(stack.ses, mailbox('success+c'));
  const [link] = /\/unsubscribe\/[\w.~-]+/.exec(html) ?? [];
  for (let n = 0; n < 2; n += 1) await fetch(`${stack.url}${link}`, { method: 'POST' });
  for (const name of ['order placed', 'order placed', 'page viewed']) {
    await sender.post('/v1/track', { email: 'ann@example.com', event: name });
  }
  return id;
}

/** Restarts on the same port. */
export async function restartClickHouse(): Promise<void> {
  front = await startOwnClickHouse(path.join(directory, 'clickhouse'), front.port);
}

export function useAnalyticsStage(): void {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'posthaste-analytics-'));
    front = await startOwnClickHouse(path.join(directory, 'clickhouse'));
    stack = await startTestProduct({ CLICKHOUSE_URL: front.url });
    sender = await createTestSender(stack.url);
    campaignId = await sendCampaign();
  });
  afterAll(async () => {
    await stack.close();
    await front.kill();
    await rm(directory, { recursive: true, force: true });
  });
}
