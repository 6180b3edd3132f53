import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectClickHouse } from '../analytics/clickhouse.ts';
import { listRequests } from '../analytics/questions/request-list.ts';
import { type OwnClickHouse, startOwnClickHouse } from '../local/testing/own-clickhouse.ts';
import { eventually } from './setup/eventually.ts';
import { type OwnProduct, startTestProduct } from './setup/product.ts';
import { createTestSender } from './setup/sender.ts';

let directory: string;
let front: OwnClickHouse;
let stack: OwnProduct;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'posthaste-request-log-'));
  front = await startOwnClickHouse(path.join(directory, 'clickhouse'));
  stack = await startTestProduct({ CLICKHOUSE_URL: front.url });
});
afterAll(async () => {
  await front.kill();
  await rm(directory, { recursive: true, force: true });
});

it('continues during and after an outage of ClickHouse, and is written completely at shutdown', async () => {
  const sender = await createTestSender(stack.url);
  // The polls below may use up what the log takes of their project per second.
  const quiet = await createTestSender(stack.url);
  const leftOut = async () => {
    const text = await (await fetch(`${stack.url}/metrics`)).text();
    return Number(/^posthaste_request_log_left_out_total\{reason="clickhouse"\} (\d+)$/m.exec(text)?.[1]);
  };
  await front.kill();
  const answer = await sender.get('/contacts');
  expect(answer.status).toBe(200);
  await eventually(leftOut, (requests) => requests > 0);
  const away = await sender.get('/requests');
  expect([away.status, away.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);

  front = await startOwnClickHouse(path.join(directory, 'clickhouse'), front.port);
  // A new request, because those from before the outage are found at once.
  const back = (await sender.get('/templates')).headers.get('X-Request-Id');
  await eventually(
    async () => (await sender.get(`/requests?requestId=${back}`)).body.data ?? [],
    (requests) => requests.length === 1,
  );
  const last = await quiet.get('/segments');
  await stack.close();
  const clickhouse = connectClickHouse({
    url: front.url,
    username: 'default',
    password: '',
    database: 'posthaste',
  });
  const requestId = last.headers.get('X-Request-Id') ?? '';
  const found = await listRequests(clickhouse, { projectId: quiet.projectId, requestId, limit: 10 });
  expect(found).toMatchObject([{ route: '/segments', status: 200 }]);
  await clickhouse.close();
});
