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

it('are held for two slow clients at once; who takes too long loses it, and the others get theirs', async () => {
  const other = await createTestSender(stack.url);
  const begun: IncomingMessage[] = [];
  const calls = Array.from({ length: 6 }, () => ask(begun));
  const beginning = (answers: number) =>
    eventually(
      async () => begun.length,
      (count) => count >= answers,
    );
  await beginning(2);
  expect((await other.get('/templates')).status).toBe(200);
  const slow = begun.slice(0, 2);
  await beginning(3);
  const outcomes = await Promise.allSettled(slow.map(read));
  expect(outcomes.map(({ status }) => status)).toContain('rejected');
  for (let answers = 3; answers <= calls.length; answers += 1) {
    await beginning(answers);
    const answer = begun[answers - 1];
    expect(answer?.statusCode).toBe(200);
    expect(answer && (await read(answer)).data).toHaveLength(templates);
  }
});
