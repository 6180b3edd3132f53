import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
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

/** Asks for 20 MB and reads none of it. */
function ask(answers: IncomingMessage[]) {
  const call = request(`${stack.url}/templates?pageSize=${templates}`, {
    headers: { Authorization: `Bearer ${sender.secretKey}` },
    agent: false,
  });
  call.on('error', () => undefined);
  call.on('response', (answer) => {
    answer.on('error', () => undefined);
    answers.push(answer);
  });
  return call.end();
}

const read = async (answer: IncomingMessage) => JSON.parse(Buffer.concat(await answer.toArray()).toString());

it('are held for few slow clients at once, and the others get theirs after them', async () => {
  const other = await createTestSender(stack.url);
  const begun: IncomingMessage[] = [];
  const calls = Array.from({ length: 6 }, () => ask(begun));
  await eventually(
    async () => begun.length,
    (count) => count > 0,
  );
  await delay(2_000);
  const atOnce = begun.length;
  expect((await other.get('/templates')).status).toBe(200);
  for (let n = 0; n < calls.length; n += 1) {
    await eventually(
      async () => begun.length,
      (count) => count > n,
    );
    const answer = begun[n];
    if (answer === undefined) continue;
    expect(answer.statusCode).toBe(200);
    expect((await read(answer)).data).toHaveLength(templates);
  }
  expect(atOnce).toBeLessThan(3);
});

it('end when their client takes too long while others wait', async () => {
  const begun: IncomingMessage[] = [];
  const calls = Array.from({ length: 3 }, () => ask(begun));
  await eventually(
    async () => begun.length,
    (count) => count === calls.length,
  );
  const last = begun.at(-1);
  expect(last && (await read(last)).data).toHaveLength(templates);
  for (const call of calls) call.destroy();
});
