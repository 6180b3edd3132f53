import { type IncomingMessage, request } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { createTestSender, useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

const templates = 40;

const stack = useSharedProduct();
const sender = useOneSender(stack);
beforeAll(async () => {
  const content = { subject: 'Hello', body: 'x'.repeat(500_000), from: `hello@${sender.domain}` };
  for (let n = 0; n < templates; n += 1) {
    expect((await sender.post('/templates', { ...content, name: `Template ${n}` })).status).toBe(201);
  }
});

/** Asks for 20 MB. @param begin called when the answer begins, before anything of its body is read */
function ask(begin: (answer: IncomingMessage) => void) {
  const call = request(`${stack.url}/templates?pageSize=${templates}`, {
    headers: { Authorization: `Bearer ${sender.secretKey}` },
    agent: false,
  });
  call.on('error', () => undefined);
  call.on('response', (answer) => {
    answer.on('error', () => undefined);
    begin(answer);
  });
  return call.end();
}

const read = async (answer: IncomingMessage) => JSON.parse(Buffer.concat(await answer.toArray()).toString());

it('are held for two slow clients at once; who takes too long loses it, and the others get theirs', async () => {
  const other = await createTestSender(stack.url);
  const slow: IncomingMessage[] = [];
  const others: Promise<{ data: unknown[] }>[] = [];
  for (let calls = 0; calls < 6; calls += 1) {
    ask((answer) => {
      if (slow.length < 2) slow.push(answer);
      else others.push(read(answer));
    });
  }
  const begun = (answers: number) =>
    eventually(
      async () => slow.length + others.length,
      (count) => count >= answers,
    );
  await begun(2);
  expect((await other.get('/templates')).status).toBe(200);
  await begun(3);
  const outcomes = await Promise.allSettled(slow.map(read));
  expect(outcomes.map(({ status }) => status)).toContain('rejected');
  await begun(6);
  for (const { data } of await Promise.all(others)) expect(data).toHaveLength(templates);
});
