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

/**
 * Requests 20 MB, again when its turn does not come within 30 seconds.
 *
 * @param begin called when the response begins, before any of its body is read
 */
function ask(begin: (answer: IncomingMessage) => void) {
  const call = request(`${stack.url}/templates?pageSize=${templates}`, {
    headers: { Authorization: `Bearer ${sender.secretKey}` },
    agent: false,
  });
  call.on('error', () => undefined);
  call.on('response', (answer) => {
    answer.on('error', () => undefined);
    if (answer.statusCode !== 503) return begin(answer);
    answer.resume();
    setTimeout(() => ask(begin), 1_000);
  });
  return call.end();
}

/** Enough to read 20 MB in eight seconds. */
const steadily = 2_500;

async function read(answer: IncomingMessage, bytesPerMs = Number.POSITIVE_INFINITY) {
  const begin = performance.now();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes / (performance.now() - begin) > bytesPerMs) await delay(20);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Reads 20 MB, for which a client has 15 seconds. If the machine is so busy that it takes longer, asks again. */
async function readAll(
  answer: IncomingMessage,
  bytesPerMs?: number,
): Promise<Awaited<ReturnType<typeof read>>> {
  const begin = performance.now();
  try {
    return await read(answer, bytesPerMs);
  } catch (error) {
    if (performance.now() - begin < 10_000) throw error;
    return readAll(await new Promise<IncomingMessage>((resolve) => ask(resolve)), bytesPerMs);
  }
}

it('are held for two clients at once; a client that does not read loses its response, the others get theirs', async () => {
  const other = await createTestSender(stack.url);
  const asleep: IncomingMessage[] = [];
  const readers: Promise<{ data: unknown[] }>[] = [];
  let begun = 0;
  for (let calls = 0; calls < 6; calls += 1) {
    ask((answer) => {
      begun += 1;
      if (begun === 1 || begun === 3) asleep.push(answer);
      else readers.push(begun === 2 ? readAll(answer, steadily) : readAll(answer));
    });
  }
  const answers = (number: number) =>
    eventually(
      async () => begun,
      (count) => count >= number,
    );
  await answers(2);
  expect((await other.get('/templates')).status).toBe(200);
  await answers(6);
  for (const { data } of await Promise.all(readers)) expect(data).toHaveLength(templates);
  const [first, second] = asleep;
  await expect(first && read(first)).rejects.toThrow('aborted');
  second?.destroy();
});
