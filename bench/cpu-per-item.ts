import { cpuSecondsOf } from './bench-process.ts';

/**
 * Reads the CPU time of processes now; the answered function tells what they have used since then, as text such
 * as `CPU an item: API 120 µs, Postgres 150 µs, bench 40 µs`. The bench itself, generator included, comes last.
 */
export function watchCpu(processes: Record<string, number>): (items: number) => string {
  const entries = Object.entries({ ...processes, bench: process.pid });
  const own = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const read = () => entries.map(([, pid]) => (pid === process.pid ? own() : cpuSecondsOf(pid)));
  const before = read();
  return (items) => {
    const used = read().map((seconds, index) => ((seconds - (before[index] ?? 0)) / items) * 1e6);
    return `CPU an item: ${entries.map(([name], index) => `${name} ${used[index]?.toFixed(0)} µs`).join(', ')}`;
  };
}
