import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `ask` until the answer satisfies the condition; on timeout, which even a busy machine must not reach, fails
 * with the last answer. The intervals grow, because on a busy machine each call slows down the work that it waits for.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  timeoutMs = 180_000,
): Promise<Answer> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`Not within ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await delay(Math.min(Math.max(50, waitedMs / 20), 250));
  }
}
