import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, it, onTestFinished } from 'vitest';
import { soon, startTestSes } from './testing/test-ses.ts';

const mega = 1024 * 1024;

function largeEmail(to: string) {
  return new SendEmailCommand({
    FromEmailAddress: 'news@example.test',
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: { Data: 'Large' },
        Body: { Text: { Data: 'Hello' } },
        Attachments: [{ FileName: 'a.bin', RawContent: Buffer.alloc(3 * mega, 1) }],
      },
    },
  });
}

/** Begins a call and sends no body. */
function beginCall(url: string, bytes: number) {
  const call = request(`${url}/v2/email/outbound-emails`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': bytes },
  });
  call.on('error', () => undefined);
  call.flushHeaders();
  return call;
}

it('reads a few large calls at a time, while small ones pass', async () => {
  const { ses, client, verify, list } = await startTestSes();
  await verify('example.test');
  let begun = 0;
  const count = () => {
    begun += 1;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  const held = [1, 2, 3].map(() => beginCall(ses.url, 5 * mega));
  await expect.poll(() => begun, soon).toBe(3);
  let isAnswered = false;
  const large = client.send(largeEmail('large@x.test')).then(() => {
    isAnswered = true;
  });
  const small = new SendEmailCommand({
    FromEmailAddress: 'news@example.test',
    Destination: { ToAddresses: ['small@x.test'] },
    Content: { Simple: { Subject: { Data: 'Small' }, Body: { Text: { Data: 'Hello' } } } },
  });
  await client.send(small);
  await delay(200);
  expect(isAnswered).toBe(false);
  for (const call of held) call.destroy();
  await large;
  expect((await list()).total).toBe(2);
});

it('releases the slot of a call that is given up', async () => {
  const { ses, client, verify } = await startTestSes();
  await verify('example.test');
  for (let round = 0; round < 3; round += 1) {
    const calls = [1, 2, 3, 4, 5].map(() => beginCall(ses.url, 5 * mega));
    await delay(100);
    for (const call of calls) call.destroy();
  }
  expect((await client.send(largeEmail('large@x.test'))).MessageId).toBeDefined();
});

it('takes many large emails at once and lists them', async () => {
  const { client, verify, list } = await startTestSes();
  await verify('example.test');
  await Promise.all(Array.from({ length: 12 }, (_, n) => client.send(largeEmail(`large-${n}@x.test`))));
  const { total, messages } = await list('?limit=100');
  expect([total, messages.length]).toEqual([12, 12]);
  for (const { attachments } of messages) expect(attachments).toMatchObject([{ size: 3 * mega }]);
});
