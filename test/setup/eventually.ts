import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `ask` until the answer satisfies; fails with the last answer on timeout, which a busy machine must not reach.
 * Asks less often the longer it waits: on a busy machine it takes the time from what it waits for.
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
