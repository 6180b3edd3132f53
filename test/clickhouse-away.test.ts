import { beforeAll, expect, it } from 'vitest';
import { nameTestClickHouse } from './setup/clickhouse.ts';
import { eventually } from './setup/eventually.ts';
import { useTestProduct } from './setup/product.ts';
import { useOneSender } from './setup/sender.ts';
import { startTcpRelay, type TcpRelay } from './setup/tcp-relay.ts';

let line: TcpRelay;
let environment: Record<string, string>;
beforeAll(async () => {
  const clickhouse = nameTestClickHouse();
  const url = new URL(clickhouse.environment.CLICKHOUSE_URL ?? '');
  line = await startTcpRelay([Number(url.port)]);
  line.cutOff();
  environment = { ...clickhouse.environment, CLICKHOUSE_URL: `http://127.0.0.1:${line.port}` };
  return async () => {
    await line.close();
    await clickhouse.drop();
  };
});
const stack = useTestProduct(() => environment);
const sender = useOneSender(stack);

const state = async () => (await sender.get('/ready')).body.status;
const charts = async () => (await sender.get('/analytics/timeseries')).status;

it('the product starts while ClickHouse is away, and uses it when it is there', async () => {
  expect(await state()).toBe('degraded');
  const from = `hello@${sender.domain}`;
  const sent = await sender.post('/v1/send', {
    to: 'a@example.com',
    from,
    subject: 'Hello',
    body: '<p>Hello</p>',
  });
  expect(sent.status).toBe(200);
  expect(await charts()).toBe(503);
  line.restore();
  await eventually(charts, 200);
  await eventually(state, 'ready');
});
