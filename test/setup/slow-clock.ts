import { performance } from 'node:perf_hooks';
import { onTestFinished, vi } from 'vitest';

/** For the rest of the test, a minute passes between any two looks at `performance.now`. */
export function useSlowClock(): void {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
}
