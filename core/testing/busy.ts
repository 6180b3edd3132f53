import { cpuMsSince } from '../cpu-time.ts';

/** Keeps the thread busy for milliseconds of CPU time, as a large template does. */
export function busy(ms: number): void {
  const before = process.threadCpuUsage();
  while (cpuMsSince(before) < ms);
}
