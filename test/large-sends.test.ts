import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { useProcessStack } from './setup/process-stack.ts';
import type { TestProcess } from './setup/processes.ts';
import { createTestSender, type TestSender } from './setup/sender.ts';

const mebibyte = 1024 * 1024;
/** Bodies of 8 MB in base64; together half a gigabyte. */
const count = 60;
/** A process that has just started uses 350. */
const mostMebibytes = 750;

const stack = useProcessStack({ API_RATE_LIMIT_PER_MINUTE: '0' });
let api: TestProcess;

beforeAll(async () => {
  api = await stack.startApi();
});

function bodyOf(sender: TestSender, attachment?: string): Buffer {
  const attachments =
    attachment === undefined
      ? undefined
      : [{ filename: 'large.bin', contentType: 'application/octet-stream', content: attachment }];
  const from = `hello@${sender.domain}`;
  return Buffer.from(
    JSON.stringify({ to: 'reader@example.com', from, subject: 'Hello', body: '<p>Hello</p>', attachments }),
  );
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
}

/** All calls share the bytes, which keeps the test's own memory small. */
function post(agent: Agent, sender: TestSender, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${sender.secretKey}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    };
    const sending = request(`${stack.url}/v1/send`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }),
      );
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Peak resident memory of the process so far. */
async function peakMebibytes(): Promise<number> {
  const status = await readFile(`/proc/${api.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

it('large emails at once take bounded memory, all get through, and another project is served meanwhile', async () => {
  const [large, other] = [await createTestSender(stack.url), await createTestSender(stack.url)];
  const agent = new Agent({ keepAlive: false });
  const body = bodyOf(large, Buffer.alloc(6 * mebibyte).toString('base64'));
  const small = bodyOf(other);
  await post(agent, other, small);
  let taken = 0;
  const until = async (): Promise<void> => {
    for (;;) {
      const { status, retryAfter } = await post(agent, large, body);
      if (status === 200) {
        taken += 1;
        return;
      }
      expect(status).toBe(503);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      await delay(Number(retryAfter) * 1000);
    }
  };
  let isDone = false;
  const all = Promise.all(Array.from({ length: count }, until)).finally(() => {
    isDone = true;
  });
  /** How many large emails were accepted while a small one waited for its answer. */
  const ahead: number[] = [];
  while (!isDone) {
    const before = taken;
    expect((await post(agent, other, small)).status).toBe(200);
    ahead.push(taken - before);
    await delay(100);
  }
  await all;
  expect(Math.max(...ahead)).toBeLessThan(count / 4);
  const [stored] = await stack.sql<{ emails: number }>(
    'select count(*)::int as emails from email_attachments',
  );
  expect(stored?.emails).toBe(count);
  expect(await peakMebibytes()).toBeLessThan(mostMebibytes);
});
