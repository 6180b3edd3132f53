import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { LocalProduct } from './local-product.ts';
import { percentile } from './percentile.ts';
import type { Tenant } from './tenant.ts';

const sentSchema = z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) });
const inboxSchema = z.object({
  messages: z.array(z.object({ emailId: z.string().nullable(), receivedAt: z.coerce.date() })),
});

export interface QuietEmails {
  answerMs: number[];
  /** From the response until the provider had the email. */
  handOverMs: number[];
}

const patienceMs = 120_000;
let run = 0;

/**
 * Sends an email every `everyMs` while `shouldContinue` returns true, on schedule whether or not the previous call was
 * answered, and waits until the provider has all of them.
 */
export async function sendQuietly(
  { credentials: { urls } }: LocalProduct,
  { call, domain }: Tenant,
  everyMs: number,
  shouldContinue: (sent: number) => boolean,
): Promise<QuietEmails> {
  run += 1;
  const answerMs: number[] = [];
  const answeredAt = new Map<string, number>();
  const calls: Promise<void>[] = [];
  async function send(n: number): Promise<void> {
    const startedAt = Date.now();
    const body = {
      to: `quiet-${run}-${n}@example.com`,
      from: `hello@${domain}`,
      subject: 'Your code',
      body: '<p>Hello, your code is 1234.</p>',
    };
    const { data } = sentSchema.parse(await call('POST', '/v1/send', body));
    answerMs.push(Date.now() - startedAt);
    answeredAt.set(data.emails[0]?.email ?? '', Date.now());
  }
  for (let n = 0; shouldContinue(n); n += 1) {
    const sending = send(n);
    // Awaited below; a rejection until then must not end this process and leave the product running.
    sending.catch(() => undefined);
    calls.push(sending);
    await delay(everyMs);
  }
  await Promise.all(calls);
  for (const until = Date.now() + patienceMs; ; await delay(200)) {
    const query = new URLSearchParams({ to: `quiet-${run}-`, limit: '10000' });
    const { messages } = inboxSchema.parse(await (await fetch(`${urls.inbox}/api/messages?${query}`)).json());
    if (messages.length >= answeredAt.size || Date.now() > until) {
      const receivedAt = new Map(
        messages.map((message) => [message.emailId ?? '', message.receivedAt.getTime()]),
      );
      // An unsent email counts as waiting until now.
      const handOverMs = [...answeredAt].map(([id, at]) => (receivedAt.get(id) ?? Date.now()) - at);
      return { answerMs, handOverMs };
    }
  }
}

/** For example `p50 31 ms, p99 84 ms of 120`. */
export function presentSpread(samples: readonly number[]): string {
  const show = (fraction: number) => percentile(samples, fraction).toFixed(0);
  return `p50 ${show(0.5)} ms, p99 ${show(0.99)} ms of ${samples.length}`;
}
