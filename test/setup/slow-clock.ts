import { performance } from 'node:perf_hooks';
import { onTestFinished, vi } from 'vitest';

/** For the rest of the test, a minute passes between any two looks at `performance.now`, or `stepMs`. */
export function useSlowClock(stepMs = 60_000): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += stepMs;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
}
