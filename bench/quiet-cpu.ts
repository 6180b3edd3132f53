import { setTimeout as delay } from 'node:timers/promises';
import { measureCpu, presentCpu } from './cpu-per-item.ts';
import type { Figure } from './report.ts';

const emails = 20;
const everyMs = 500;

/** CPU cost of a single email across all our processes, beyond what they use in the same time without one. */
export async function measureQuietCpu(
  { SES: _, ...pids }: Record<string, number>,
  url: string,
  headers: Record<string, string>,
  nextBody: () => string,
): Promise<Figure> {
  const measureRest = measureCpu(pids);
  await delay(emails * everyMs);
  const rest = measureRest(emails);
  const measure = measureCpu(pids);
  for (let n = 0; n < emails; n += 1) {
    const send = fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: nextBody(),
    });
    await Promise.all([send.then((answer) => answer.text()), delay(everyMs)]);
  }
  const restMs = Object.keys(pids).reduce((sum, name) => sum + (rest[name] ?? 0), 0) / everyMs;
  const used = Object.entries(measure(emails))
    .filter(([name]) => name in pids)
    .map(([name, micros]) => [name, Math.max(0, micros - (rest[name] ?? 0))] as const);
  return {
    work: 'CPU of one email when idle',
    value: used.reduce((sum, [, micros]) => sum + micros, 0) / 1000,
    unit: 'ms',
    bar: { below: 25 },
    note: `${presentCpu(Object.fromEntries(used))}; in addition to ${restMs.toFixed(0)} ms per second at rest`,
  };
}
