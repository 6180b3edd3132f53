import { setTimeout as delay } from 'node:timers/promises';
import type { TestAnswer } from '../setup/answer.ts';

const firstRetryMs = 200;
const longestRetryMs = 3_000;
/**
 * A retry that finds its original in progress is repeated for this long; after a crash, the original stays in progress.
 */
const patienceMs = 20_000;

export type Verdict = 'accepted' | 'in doubt';

/**
 * Retries like a client: sends the same body and Idempotency-Key until there is an answer.
 *
 * @throws Error if the answer is a refusal
 */
export async function askUntilAnswered(
  ask: () => Promise<TestAnswer>,
): Promise<{ verdict: Verdict; answer: TestAnswer }> {
  const startedAt = Date.now();
  for (let tries = 0; ; tries += 1) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer.status < 300) return { verdict: 'accepted', answer };
    if (answer !== undefined && isRefusal(answer)) {
      const verdict = verdictOf(answer);
      if (verdict === undefined) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      const isInFlight = answer.body.error.details.originalStatusCode === null;
      if (!isInFlight || Date.now() - startedAt > patienceMs) return { verdict, answer };
    }
    await delay(Math.min(firstRetryMs * 2 ** tries, longestRetryMs) * (0.5 + Math.random()));
  }
}

const isRefusal = ({ status }: TestAnswer) => status < 500 && status !== 408 && status !== 429;

/** The outcome of the first request with the key, as the 409 of a retry reports it. */
function verdictOf({ status, body }: TestAnswer): Verdict | undefined {
  if (status !== 409 || body?.error?.code !== 'IDEMPOTENCY_KEY_REUSED') return undefined;
  return body.error.details.originalStatusCode === 200 ? 'accepted' : 'in doubt';
}

/**
 * Calls `act` with 0, 1, 2, … at this rate per second, however long each call takes, and waits for all calls.
 *
 * @throws Error the first error of a call
 */
export async function repeat(
  perSecond: number,
  isOver: (n: number) => boolean,
  act: (n: number) => Promise<void>,
): Promise<void> {
  const startedAt = Date.now();
  const running: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (let n = 0; !isOver(n) && failures.length === 0; n += 1) {
    const waitMs = startedAt + (n * 1_000) / perSecond - Date.now();
    if (waitMs > 0) await delay(waitMs);
    running.push(act(n).catch((error) => void failures.push(error)));
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
