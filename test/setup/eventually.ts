import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again until the answer satisfies, and fails with the last answer when that takes too long.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer>,
  satisfies: (answer: Answer) => boolean,
  timeoutMs = 15_000,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await delay(50);
  }
}
