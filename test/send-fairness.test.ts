import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { useTestProduct } from './setup/product.ts';
import { readEmail } from './setup/read-database.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

/** The provider's rate for all projects together, so low that thousands wait longer than the test may take. */
const ratePerSecond = 4;
const backlog = 3_000;

const stack = useTestProduct({ EMAIL_RATE_PER_SECOND: String(ratePerSecond) });

async function send(sender: TestSender, to: string[]): Promise<string[]> {
  const { status, body } = await sender.post('/v1/send', {
    to,
    from: `hello@${sender.domain}`,
    subject: 'Receipt',
    body: '<p>Thank you</p>',
  });
  expect(status).toBe(200);
  return body.data.emails.map(({ email }: { email: string }) => email);
}

it('an email of a project leaves while another one has thousands behind the rate', async () => {
  const [loud, quiet] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  for (let call = 0; call < backlog / 1_000; call += 1) {
    await send(
      loud,
      Array.from({ length: 1_000 }, (_, n) => `reader-${call}-${n}@example.com`),
    );
  }
  const waiting = async () => {
    const [row] = await stack.sql<{ count: number }>('select count(*)::int as count from waiting_emails');
    return row?.count ?? 0;
  };
  await eventually(waiting, (count) => count > 0.6 * backlog);

  const quietIds: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    quietIds.push(...(await send(quiet, [`quiet-${n}@example.com`])));
    await delay(400);
  }
  for (const id of quietIds) {
    await eventually(
      () => readEmail(stack.em(), id),
      (email) => email?.sentAt !== null,
    );
  }
  expect(await waiting()).toBeGreaterThan(0);

  // How many emails of the other project left while each of them waited; in a first-come, first-served queue, all that
  // waited before it would.
  const before = await stack.sql<{ count: number }>(
    `select count(e.id)::int as count
     from emails q
     left join emails e on e.project_id = $2 and e.sent_at between q.created_at and q.sent_at
     where q.id = any($1)
     group by q.id`,
    [quietIds, loud.projectId],
  );
  for (const { count } of before) expect(count).toBeLessThan(0.4 * backlog);

  // By no instant more had left than the rate allows since the first was accepted, apart from two seconds: an idle
  // account has saved one up. A busy machine is late for some slots and makes up for it.
  const [pace] = await stack.sql<{ most: number }>(
    `select max(sent / seconds)::float8 as most from (
       select row_number() over (order by sent_at) as sent,
         2 + extract(epoch from sent_at - (select min(created_at) from emails)) as seconds
       from emails where sent_at is not null
     ) sent`,
  );
  expect(pace?.most).toBeLessThanOrEqual(ratePerSecond);
});
