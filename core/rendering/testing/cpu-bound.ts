import { expect } from 'vitest';
import { cpuMsSince } from '../../cpu-time.ts';

/**
 * How long hostile content may hold the thread, in milliseconds of CPU time on a machine that does the reference work
 * in `referenceMs`. Slower machines get proportionally more.
 */
const maxCpuMs = 250;
const referenceMs = 30;

function cpuMsOf<T>(work: () => T): [T, number] {
  const before = process.threadCpuUsage();
  const result = work();
  return [result, cpuMsSince(before)];
}

/** Runs `work` and fails when it holds the thread for longer than the bound. */
export function boundCpu<T>(work: () => T): T {
  const [result, ms] = cpuMsOf(work);
  // Measured only now, because the machine's speed changes from one minute to the next.
  if (ms >= maxCpuMs) expect(ms).toBeLessThan(maxCpuMs * Math.max(1, slowness()));
  return result;
}

function slowness(): number {
  const runs = [referenceWork, referenceWork, referenceWork].map((work) => cpuMsOf(work)[1]);
  return Math.min(...runs) / referenceMs;
}

/** Strings, arrays and sorting, like the work of a template. */
function referenceWork(): number {
  const words = Array.from({ length: 60_000 }, (_, index) => `word ${(index * 7919) % 60_000}`);
  return JSON.stringify(words.toSorted()).split(',').length;
}
