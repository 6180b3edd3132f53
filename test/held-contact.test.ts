import { expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking } from './setup/until-blocking.ts';

const stack = useSharedProduct();

const data = () => ({ n: Math.random() });
const bodies: Record<string, (email: string, from: string) => object> = {
  '/v1/track': (email) => ({ email, event: 'visited', data: data() }),
  '/v1/send': (to, from) => ({ to, from, subject: 'Hello', body: 'Hello', data: data() }),
};

it.each(Object.entries(bodies))(
  '%s answers the other projects while contacts of one are locked',
  async (path, bodyOf) => {
    const call = (sender: TestSender, email: string) =>
      sender.post(path, bodyOf(email, `hello@${sender.domain}`));
    const [one, other] = [await createTestSender(stack.url), await createTestSender(stack.url)];
    const held = Array.from({ length: 20 }, (_, n) => `held-${n}@example.com`);
    for (const email of held) expect((await call(one, email)).status).toBe(200);
    const holding = stack.em();
    await holding.begin();
    await sql(holding, 'select from contacts where project_id = $1 for update', [one.projectId]);

    const waiting = held.map((email) => call(one, email));
    const answered = await Promise.all(held.map((email) => call(other, email)));
    expect(answered.map(({ status }) => status)).toEqual(held.map(() => 200));
    await untilBlocking(holding);

    await holding.rollback();
    for (const answer of waiting) expect((await answer).status).toBe(200);
  },
);
