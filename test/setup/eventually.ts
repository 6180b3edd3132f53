import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `ask` until the answer satisfies; fails with the last answer on timeout, which a busy machine must not reach.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  timeoutMs = 180_000,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await delay(50);
  }
}
