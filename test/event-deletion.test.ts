import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startLocalSes } from '../local/ses/server.ts';
import { freePort } from '../local/testing/free-port.ts';
import { startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { createTestDatabase } from './setup/database.ts';
import { eventually } from './setup/eventually.ts';
import { startApiProcess, startWorkerProcess } from './setup/processes.ts';
import { testTopic } from './setup/product.ts';
import { createSegment, where } from './setup/segments.ts';
import { createTestSender, type TestSender, useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const track = (sender: TestSender, event: string, email = 'ada@example.com') =>
  sender.post('/v1/track', { email, event });
const listed = async (sender: TestSender): Promise<string[]> => {
  const { body } = await sender.get('/events?limit=100');
  return body.data.map((event: { name: string }) => event.name).sort();
};

describe('with everything running', () => {
  const stack = useSharedProduct();
  const sender = useSender(stack);
  const segment = async (name: string, field: string, operator: string, value?: number) => {
    const condition = where({ field, operator, ...(value && { value }) });
    return (await createSegment(sender, { name, condition })).id;
  };
  const membersOf = async (id: string) => (await sender.get(`/segments/${id}/contacts`)).body.total;
  const pathOf = (name: string) => `/events/${encodeURIComponent(name)}`;

  it.each(['order placed', "it's / a.name?x=1#y \\ 100% é😀", 'names', 'contact'])(
    'deletes the events called %s everywhere, and nothing else',
    async (name) => {
      const asks = await segment('asks', `event.${name}`, 'countGreaterThan', 1);
      for (const event of [name, name, 'another']) await track(sender, event);
      const { body: tracked } = await track(sender, name, 'ben@example.com');
      await eventually(
        () => listed(sender),
        (found) => found.length === 4,
      );
      expect(await membersOf(asks)).toBe(1);

      expect(await sender.delete(pathOf(name))).toMatchObject({ status: 200, body: { deleted: 3 } });
      expect(await membersOf(asks)).toBe(0);
      await eventually(
        () => listed(sender),
        (found) => found.length === 1,
      );
      await eventually(
        async () => (await sender.get('/events/names')).body.names,
        (names) => names.length === 1 && names[0] === 'another',
      );
      expect((await sender.get(`/events?name=${encodeURIComponent(name)}`)).body.data).toEqual([]);
      expect((await sender.get(`/events/contact/${tracked.data.contact}`)).body.data).toEqual([]);
      expect((await sender.get('/events/stats')).body).toMatchObject({
        total: 1,
        byName: [{ name: 'another', count: 1 }],
      });
      expect((await sender.get('/activity')).body.data).toHaveLength(1);
      expect((await sender.delete(pathOf(name))).body).toEqual({ deleted: 0 });

      await track(sender, name);
      await track(sender, name);
      expect(await membersOf(asks)).toBe(1);
      await eventually(
        () => listed(sender),
        (found) => found.filter((event) => event === name).length === 2,
      );
    },
  );

  it('deletes events that the service emits, and keeps the state of contacts', async () => {
    await track(sender, 'signed up');
    const { body } = await sender.get('/contacts');
    await sender.patch(`/contacts/${body.data[0].id}`, { subscribed: false });
    expect((await sender.delete('/events/contact.unsubscribed')).body).toEqual({ deleted: 1 });
    expect((await sender.get('/contacts')).body.data[0].subscribed).toBe(false);
  });

  it('deletes events of the longest name in any script', async () => {
    for (const name of ['注'.repeat(255), 'é'.repeat(255)]) {
      expect((await track(sender, name)).status).toBe(200);
      expect(await sender.delete(pathOf(name))).toMatchObject({ status: 200, body: { deleted: 1 } });
    }
  });

  it('does not touch another project', async () => {
    const other = await createTestSender(stack.url);
    await track(other, 'shared name');
    await track(sender, 'shared name');
    expect((await sender.delete('/events/shared%20name')).body).toEqual({ deleted: 1 });
    const [row] = await stack.sql<{ count: number }>(
      'select count from contact_event_stats where project_id = $1',
      [other.projectId],
    );
    expect(row?.count).toBe(1);
    expect((await sender.get('/events/shared%20name/usage')).body).toEqual({ segments: [], workflows: [] });
  });

  it('reports which segments read an event, by any of its names and at any depth', async () => {
    const short = await segment('short', 'email.open', 'triggered');
    const long = await segment('long', 'email.opened', 'notTriggered');
    const custom = await segment('custom', 'event.contact', 'triggered');
    const delivered = await segment('delivered', 'email.delivered', 'triggered');
    await segment('unrelated', 'event.email', 'triggered');
    const nested = await sender.post('/segments', {
      name: 'nested',
      condition: {
        logic: 'OR',
        groups: [
          {
            filters: [{ field: 'subscribed', operator: 'equals', value: true }],
            conditions: where({ field: 'event.email.open', operator: 'triggered' }),
          },
        ],
      },
    });
    const usage = async (name: string) => (await sender.get(`${pathOf(name)}/usage`)).body;
    expect(await usage('email.open')).toEqual({
      segments: [
        { id: nested.body.id, name: 'nested' },
        { id: long, name: 'long' },
        { id: short, name: 'short' },
      ],
      workflows: [],
    });
    expect(await usage('contact')).toEqual({ segments: [{ id: custom, name: 'custom' }], workflows: [] });
    expect(await usage('email.delivery')).toEqual({
      segments: [{ id: delivered, name: 'delivered' }],
      workflows: [],
    });
    expect(await usage('never / seen')).toEqual({ segments: [], workflows: [] });
  });

  it('rejects an invalid event name', async () => {
    for (const call of [sender.get('/events/a%00b/usage'), sender.delete('/events/a%00b')]) {
      const { status, body } = await call;
      expect(status).toBe(422);
      expect(body.error.errors).toMatchObject([{ field: 'eventName' }]);
    }
  });
});

describe('with processes that die', () => {
  it('answers while ClickHouse is away, and deletes there when it is back, though the worker was killed', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'posthaste-event-deletion-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const database = await createTestDatabase(3);
    onTestFinished(() => database.close());
    let front = await startOwnClickHouse(path.join(directory, 'clickhouse'));
    onTestFinished(() => front.kill());
    const port = await freePort();
    const ses = await startLocalSes({
      port: 0,
      dataDir: path.join(directory, 'ses'),
      webhookUrl: `http://127.0.0.1:${port}/webhooks/sns`,
      topicArn: testTopic,
    });
    onTestFinished(() => ses.close());
    const environment = {
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
      APP_SECRET: randomBytes(32).toString('base64url'),
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '5',
      CLICKHOUSE_URL: front.url,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_TASK_QUEUE: `event-deletion-${randomUUID()}`,
      SES_ENDPOINT: ses.url,
      SNS_LOCAL_HOST: `127.0.0.1:${ses.port}`,
      SNS_TOPIC_ARNS: testTopic,
      SHUTDOWN_GRACE_SECONDS: '3',
    };
    const api = await startApiProcess(environment);
    onTestFinished(() => api.kill());
    let worker = await startWorkerProcess(environment);
    onTestFinished(() => worker.kill());
    const sender = await createTestSender(`http://127.0.0.1:${port}`);
    for (let n = 0; n < 5; n += 1) await track(sender, 'order placed', `user${n}@example.com`);
    await track(sender, 'another');
    await eventually(
      () => listed(sender),
      (found) => found.length === 6,
    );

    await front.kill();
    expect((await sender.delete('/events/order%20placed')).body).toEqual({ deleted: 5 });
    const tracked = await track(sender, 'order placed');
    expect(tracked.status).toBe(200);
    await worker.kill();
    front = await startOwnClickHouse(path.join(directory, 'clickhouse'), front.port);
    worker = await startWorkerProcess(environment);
    const found = await eventually(
      () => listed(sender),
      (names) => names.length === 2,
    );
    expect(found).toEqual(['another', 'order placed']);
    const { body } = await sender.get('/events?name=order%20placed');
    expect(body.data.map((event: { id: string }) => event.id)).toEqual([tracked.body.data.event]);
  });
});
