import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../core/config/load.ts';
import { freePort } from '../../../local/testing/free-port.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { startTcpRelay } from '../../../test/setup/tcp-relay.ts';
import { CampaignThread } from './campaign-thread.ts';

const database = useTestDatabase();

const threads: CampaignThread[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.stop();
});

function start(environment: Record<string, string> = {}): CampaignThread {
  const config = loadConfig({
    APP_SECRET: 'x'.repeat(43),
    DATABASE_URL: database.url,
    SES_ENDPOINT: 'http://127.0.0.1:9',
    ...environment,
  });
  const thread = new CampaignThread(config, () => undefined);
  threads.push(thread);
  return thread;
}

const batchOf = (campaignId: string) => ({ campaignId, projectId: randomUUID(), batch: 1 });
const neverAborted = new AbortController().signal;

describe('the campaign thread', () => {
  it('answers each of many orders', async () => {
    const thread = start();
    const orders = Array.from({ length: 50 }, () => thread.send(batchOf(randomUUID()), neverAborted));
    const nothing = { sent: 0, queued: 0, retryInMs: 0, waiting: 0 };
    expect(await Promise.all(orders)).toEqual(orders.map(() => nothing));
  });

  it('passes on an error without the statement and its values', async () => {
    const thread = start({ DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/nothing` });
    const campaignId = randomUUID();
    const failure: unknown = await thread.send(batchOf(campaignId), neverAborted).catch((error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toMatch(/ECONNREFUSED/);
    expect(String(failure)).not.toContain(campaignId);
  });

  it('ends when asked to, and reports an unexpected end', async () => {
    const asked = start();
    await asked.send(batchOf(randomUUID()), neverAborted);
    await asked.stop();
    await expect(asked.ended).resolves.toBeUndefined();

    const broken = start({ DATABASE_URL: 'postgres://without-a-database' });
    const order = broken.send(batchOf(randomUUID()), neverAborted);
    await expect(order).rejects.toThrow();
    await expect(broken.ended).rejects.toThrow();
    await expect(broken.send(batchOf(randomUUID()), neverAborted)).rejects.toThrow();
  });

  it('ends even when the host of its connections has vanished', async () => {
    const url = new URL(database.url);
    const line = await startTcpRelay([Number(url.port)]);
    url.host = `127.0.0.1:${line.port}`;
    const thread = start({ DATABASE_URL: url.href });
    await thread.send(batchOf(randomUUID()), neverAborted);
    line.fallSilent();
    await thread.stop();
    await line.close();
  });
});
