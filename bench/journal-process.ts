import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figure } from './report.ts';

const file = fileURLToPath(new URL('./journal.ts', import.meta.url));
/** Fewer rows than the bench takes by itself, so that it ends within a minute. */
const size = ['--rows=300000', '--events=1000000', '--seconds=8'];
const timeoutMs = 120_000;

/** The lines of the journal bench that stand for a bar; each begins with the text and holds a number. */
const judged: { line: RegExp; work: string; unit: string; bar: NonNullable<Figure['bar']> }[] = [
  { line: /^catch-up of the stream: (\d+) rows\/s/m, work: 'catch-up', unit: '/s', bar: { atLeast: 50_000 } },
  {
    line: /^lag at \d+ events\/s: .*p99 ([\d.]+) ms/m,
    work: 'lag at 5,000 events/s, p99',
    unit: 'ms',
    bar: { below: 2_000 },
  },
  {
    line: /^feed, page anywhere, .*: p50 [\d.]+ ms, p95 ([\d.]+) ms/m,
    work: 'activity page over a million events, p95',
    unit: 'ms',
    bar: { below: 30 },
  },
];

/** The journal's stream to ClickHouse, in a process of its own because the embedded engine lives in it. */
export async function benchJournal(): Promise<Figure[]> {
  const child = spawn(process.execPath, [file, ...size], { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGTERM'), timeoutMs);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`The journal bench ended with ${code}:\n${output}`);
  const bare = Number(/^bare insert, .*?: (\d+) rows\/s/m.exec(output)?.[1]);
  const details = output.split('\n').filter((line) => /^ *[a-z].*: .*\)$/i.test(line));
  return judged.map(({ line, work, unit, bar }, index) => ({
    work,
    value: Number(line.exec(output)?.[1]),
    unit,
    bar,
    ...(index === 0 && { limits: [{ what: 'bare insert', value: bare }] }),
    ...(index === judged.length - 1 && { note: `all of it:\n      ${details.join('\n      ')}` }),
  }));
}
