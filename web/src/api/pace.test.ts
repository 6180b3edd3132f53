import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from './api-error.ts';
import { createPace } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = (remaining: number) => {
  const headers = {
    'RateLimit-Limit': '1000',
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': '20',
  };
  return { response: new Response(null, { headers }) };
};

/** How many seconds the call waits. */
async function secondsUntil(call: Promise<unknown>): Promise<number> {
  const since = Date.now();
  let isOver = false;
  const over = call.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  for (let n = 0; n < 300 && !isOver; n += 1) await vi.advanceTimersByTimeAsync(isOver ? 0 : 1_000);
  await over;
  return Math.floor((Date.now() - since) / 1000);
}

it('leaves half of the requests to the applications of the project', async () => {
  const pace = createPace(new AbortController().signal);
  expect(await secondsUntil(pace(async () => answer(501)))).toBeLessThanOrEqual(1);
  expect(await secondsUntil(pace(async () => answer(499)))).toBeLessThanOrEqual(1);
  expect(await secondsUntil(pace(async () => answer(999)))).toBeGreaterThanOrEqual(20);
  expect(await secondsUntil(pace(async () => answer(998)))).toBeLessThanOrEqual(1);
});

it('waits and continues when the applications have used all of them', async () => {
  const pace = createPace(new AbortController().signal);
  const calls = [new ApiError(429, null, {}, 7), answer(1_000)];
  const waited = await secondsUntil(
    pace(async () => {
      const next = calls.shift();
      if (next instanceof ApiError) throw next;
      return next ?? expect.unreachable();
    }),
  );
  expect(waited).toBeGreaterThanOrEqual(7);
});

it('does not retry other errors, and stops waiting when it is aborted', async () => {
  const ending = new AbortController();
  const pace = createPace(ending.signal);
  await expect(pace(() => Promise.reject(new ApiError(404, null, {})))).rejects.toThrow(ApiError);
  await pace(async () => answer(0));
  const next = pace(async () => answer(0));
  ending.abort();
  await next;
  expect(pace.isOver()).toBe(true);
});
