import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import type { TestAnswer } from './setup/answer.ts';
import { draftCampaign } from './setup/draft-campaign.ts';
import { eventually } from './setup/eventually.ts';
import { readContact } from './setup/read-database.ts';
import { planIs } from './setup/segments.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTestSubscriber, visitPage } from './setup/subscribers.ts';

// Its API process has 10 connections.
const product = useSharedProduct();

const createSenders = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createTestSender(product.url)));

/** Makes calls of several projects wait for a lock of a table, more than there are connections. */
async function whileWaiting(
  lock: string,
  call: (sender: TestSender, index: number) => Promise<TestAnswer>,
  check: (other: TestSender) => Promise<void>,
  { projects = 6, calls = 4, prepare = async (_sender: TestSender): Promise<unknown> => undefined } = {},
) {
  const [other, ...loud] = await createSenders(projects + 1);
  if (other === undefined) throw new Error('No project');
  await Promise.all(loud.map(prepare));
  const waiting: Promise<TestAnswer>[] = [];
  await product.em().transactional(async (em) => {
    await sql(em, lock);
    for (const sender of loud) {
      for (let index = 0; index < calls; index += 1) waiting.push(call(sender, index));
    }
    for (let time = 0; time < 10; time += 1) {
      await check(other);
      await delay(50);
    }
  });
  return (await Promise.all(waiting)).map(({ status }) => status);
}

/** Until so many writes have waited for a lock of the segments for so long that their projects are slow. */
const untilLong = (writes: number) =>
  eventually(
    () =>
      sql(
        product.em(),
        `select from pg_locks where relation = 'segments'::regclass and waitstart < now() - interval '1.5 s'`,
      ),
    (locks) => locks.length >= writes,
  );

it('requests of a project are served while heavy reads of several others take long', async () => {
  const statuses = await whileWaiting(
    'lock table contacts in access exclusive mode',
    (sender) => sender.get('/contacts?search=reader'),
    async (other) => {
      expect((await other.get('/campaigns')).status).toBe(200);
      await createTemplate(other);
    },
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('requests of a project are served while writes of several others wait for a lock', async () => {
  const statuses = await whileWaiting(
    'lock table segments in share mode',
    (sender, index) => sender.post('/segments', { name: `Segment ${index}`, type: 'STATIC' }),
    async (other) => {
      expect((await other.get('/segments')).status).toBe(200);
      const preview = await other.post('/segments/preview', { condition: planIs('pro') });
      expect(preview.status).toBe(200);
    },
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
});

it('requests of a project are served while heavy reads and writes of several others wait at once', async () => {
  const statuses = await whileWaiting(
    'lock table contacts, segments in access exclusive mode',
    (sender, index) =>
      index % 2 === 0
        ? sender.get('/contacts?search=reader')
        : sender.post('/segments', { name: `Segment ${index}`, type: 'STATIC' }),
    async (other) => {
      expect((await other.get('/campaigns')).status).toBe(200);
      expect((await other.get('/templates')).status).toBe(200);
    },
  );
  expect(new Set(statuses)).toEqual(new Set([200, 201]));
});

const createTemplate = async (sender: TestSender) => {
  const name = `Template ${crypto.randomUUID()}`;
  const template = { name, subject: 'Hello', body: '<p>Hello</p>', from: `a@${sender.domain}` };
  expect((await sender.post('/templates', template)).status).toBe(201);
};

it('writes of a project are served while new segments of several others are counted', async () => {
  const statuses = await whileWaiting(
    'lock table contacts in access exclusive mode',
    (sender, index) => sender.post('/segments', { name: `Segment ${index}`, condition: planIs('pro') }),
    createTemplate,
  );
  expect(new Set(statuses)).toEqual(new Set([201]));
});

it('writes of a project are served while the recipients of several others are counted against their limits', async () => {
  const campaigns = new Map<string, string>();
  const statuses = await whileWaiting(
    'lock table contacts in access exclusive mode',
    (sender) => sender.post(`/campaigns/${campaigns.get(sender.projectId)}/send`, {}),
    createTemplate,
    {
      calls: 1,
      async prepare(sender) {
        await product.sql(
          `insert into billing_limits (project_id, category, emails) values ($1, 'campaigns', 1000)`,
          [sender.projectId],
        );
        campaigns.set(sender.projectId, await draftCampaign(sender));
      },
    },
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('requests of a project are served while hundreds of short reads of another wait', async () => {
  const statuses = await whileWaiting(
    'lock table campaigns in access exclusive mode',
    (sender) => sender.get('/campaigns'),
    async (other) => {
      expect((await other.get('/segments')).status).toBe(200);
      expect((await other.get('/contacts?search=reader')).status).toBe(200);
      expect((await other.post('/contacts', { email: 'ada@example.com' })).status).toBeLessThan(300);
    },
    { projects: 1, calls: 300 },
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('writes of a project are served while short reads of several others wait', async () => {
  const statuses = await whileWaiting(
    'lock table campaigns in access exclusive mode',
    (sender) => sender.get('/campaigns'),
    async (other) => {
      expect((await other.post('/contacts', { email: 'ada@example.com' })).status).toBeLessThan(300);
    },
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('an opt-out is accepted while writes of its project wait for a lock', async () => {
  const [sender] = await createSenders(1);
  if (sender === undefined) throw new Error('No project');
  const reader = await createTestSubscriber(product, sender);
  const waiting: Promise<TestAnswer>[] = [];
  await product.em().transactional(async (em) => {
    await sql(em, 'lock table segments in share mode');
    for (let index = 0; index < 4; index += 1) {
      waiting.push(sender.post('/segments', { name: `Segment ${index}`, type: 'STATIC' }));
    }
    await untilLong(1);
    const answer = await visitPage(
      `${product.url}${reader.path('unsubscribe')}`,
      'List-Unsubscribe=One-Click',
    );
    expect(answer.status).toBe(200);
    expect(await readContact(product.em(), sender.projectId, reader.email)).toMatchObject({
      subscribed: false,
    });
  });
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

it('writes of a project are served while those of two others, whose last ones waited for long, wait for a lock', async () => {
  const [other, ...loud] = await createSenders(3);
  if (other === undefined) throw new Error('No project');
  const whileLocked = async (check: () => Promise<unknown>) => {
    const waiting: Promise<TestAnswer>[] = [];
    await product.em().transactional(async (em) => {
      await sql(em, 'lock table segments in share mode');
      for (const sender of [...loud, ...loud]) {
        waiting.push(sender.post('/segments', { name: crypto.randomUUID(), type: 'STATIC' }));
      }
      await check();
    });
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([201]));
  };
  await whileLocked(() => untilLong(2));
  await whileLocked(async () => {
    for (let time = 0; time < 5; time += 1) await createTemplate(other);
  });
});
