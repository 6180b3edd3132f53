import pg from 'pg';
import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { useTestProduct } from './setup/product.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

const stack = useTestProduct();

const track = ({ publicKey }: TestSender, email: string) =>
  fetch(`${stack.url}/v1/track`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${publicKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, event: 'visited', data: { n: Math.random() } }),
  });
const send = ({ secretKey, domain }: TestSender, email: string) =>
  fetch(`${stack.url}/v1/send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      to: email,
      from: `hello@${domain}`,
      subject: 'Hello',
      body: 'Hello',
      data: { n: Math.random() },
    }),
  });

it.each([
  ['/v1/track', track],
  ['/v1/send', send],
])('%s answers the other projects while contacts of one are locked', async (_path, call) => {
  const [one, other] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const held = Array.from({ length: 20 }, (_, n) => `held-${n}@example.com`);
  for (const email of held) expect((await call(one, email)).status).toBe(200);
  const client = new pg.Client({ connectionString: stack.database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from contacts where project_id = $1 for update', [one.projectId]);

  const waiting = held.map((email) => call(one, email));
  const answered = await Promise.all(held.map((email) => call(other, email)));
  expect(answered.map(({ status }) => status)).toEqual(held.map(() => 200));
  await eventually(
    () =>
      stack.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    (rows) => rows.length > 0,
  );

  await client.query('rollback');
  await client.end();
  for (const answer of waiting) expect((await answer).status).toBe(200);
});
