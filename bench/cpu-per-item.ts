import { cpuSecondsOf } from './bench-process.ts';

/**
 * Starts measuring CPU time. The returned function reports what each process has used since, in microseconds per item;
 * the bench itself, including the generator, comes last.
 */
export function measureCpu(processes: Record<string, number>): (items: number) => Record<string, number> {
  const entries = Object.entries({ ...processes, bench: process.pid });
  const own = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const read = () => entries.map(([, pid]) => (pid === process.pid ? own() : cpuSecondsOf(pid)));
  const before = read();
  return (items) => {
    const used = read().map((seconds, index) => ((seconds - (before[index] ?? 0)) / items) * 1e6);
    return Object.fromEntries(entries.map(([name], index) => [name, used[index] ?? 0]));
  };
}

/** For example `CPU an item: API 120 µs, Postgres 150 µs, bench 40 µs`. */
export function presentCpu(used: Record<string, number>): string {
  const parts = Object.entries(used).map(([name, micros]) => `${name} ${micros.toFixed(0)} µs`);
  return `CPU an item: ${parts.join(', ')}`;
}

export function watchCpu(processes: Record<string, number>): (items: number) => string {
  const measure = measureCpu(processes);
  return (items) => presentCpu(measure(items));
}
