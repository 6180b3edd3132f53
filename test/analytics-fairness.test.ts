import { createServer, request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../local/testing/listen.ts';
import type { TestAnswer } from './setup/answer.ts';
import { nameTestClickHouse } from './setup/clickhouse.ts';
import { type OwnProduct, startTestProduct } from './setup/product.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

const clickhouse = nameTestClickHouse();
let stack: OwnProduct;
let gate: Server;
/** The project whose ClickHouse queries are held until the test releases them. */
let held: string | undefined;
let letGo: () => void;
let released: Promise<void>;

beforeAll(async () => {
  ({ promise: released, resolve: letGo } = Promise.withResolvers<void>());
  const target = new URL(clickhouse.environment.CLICKHOUSE_URL ?? '');
  gate = createServer(async (incoming, response) => {
    const isHeld = held !== undefined && incoming.url?.includes(`param_projectId=${held}`);
    if (isHeld) await released;
    const { method, headers, url } = incoming;
    const onward = request({ host: target.hostname, port: target.port, path: url, method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  const url = `http://127.0.0.1:${await listen(gate)}`;
  stack = await startTestProduct({ ...clickhouse.environment, CLICKHOUSE_URL: url });
});
afterAll(async () => {
  letGo();
  await stack.close();
  gate.closeAllConnections();
  gate.close();
  await clickhouse.drop();
});

const ask = (sender: TestSender) => sender.get('/activity/types');

it('answers a project while another asks ClickHouse for more than it can answer', async () => {
  const [busy, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  for (const sender of [busy, quiet]) expect((await ask(sender)).status).toBe(200);
  held = busy.projectId;
  const asked: Promise<TestAnswer>[] = Array.from({ length: 60 }, () => ask(busy));
  const answer = await quiet.get('/activity/stats');
  // Four run and 48 wait, so the first answers are those that found no place.
  const refused = await Promise.race(asked);
  letGo();
  expect([answer.status, refused.status]).toEqual([200, 429]);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
  // If the running ones were held until the product's timeout, they would have failed.
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(52);
});
