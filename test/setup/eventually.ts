import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `ask` until the answer is the expected one or satisfies the condition; on timeout, which even a busy machine
 * must not reach, fails with the last answer. The intervals grow, because on a busy machine each call slows down the
 * work that it waits for.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  timeoutMs?: number,
): Promise<Answer>;
export async function eventually<Answer extends string | number | boolean | undefined>(
  ask: () => Promise<Answer>,
  expected: NoInfer<Answer>,
): Promise<Answer>;
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  expected: Answer | ((answer: Answer) => boolean),
  timeoutMs = 180_000,
): Promise<Answer> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await ask();
    if (expected instanceof Function ? expected(answer) : answer === expected) return answer;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) throw new Error(`Not within ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await delay(Math.min(Math.max(50, waitedMs / 20), 250));
  }
}
