import { setTimeout as delay } from 'node:timers/promises';
import { measureHandOvers, sentEmailId } from './inbox.ts';
import type { LocalProduct } from './local-product.ts';
import { percentile } from './percentile.ts';
import type { Tenant } from './tenant.ts';

export interface QuietEmails {
  answerMs: number[];
  /** From the response until the provider had the email. */
  handOverMs: number[];
}

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
    const id = sentEmailId(await call('POST', '/v1/send', body));
    answerMs.push(Date.now() - startedAt);
    answeredAt.set(id, Date.now());
  }
  for (let n = 0; shouldContinue(n); n += 1) {
    const sending = send(n);
    // Awaited below; a rejection until then must not end this process and leave the product running.
    sending.catch(() => undefined);
    calls.push(sending);
    await delay(everyMs);
  }
  await Promise.all(calls);
  return { answerMs, handOverMs: await measureHandOvers(urls.inbox, `quiet-${run}-`, answeredAt) };
}

/** For example `p50 31 ms, p99 84 ms of 120`. */
export function presentSpread(samples: readonly number[]): string {
  const show = (fraction: number) => percentile(samples, fraction).toFixed(0);
  return `p50 ${show(0.5)} ms, p99 ${show(0.99)} ms of ${samples.length}`;
}
