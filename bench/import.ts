import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { maxImportBytes } from '../core/contact-import/import-format.ts';
import { newId } from '../core/new-id.ts';
import { sql } from '../db/testing/sql.ts';
import { measureBareImport } from './bare-import.ts';
import { residentMegabytesOf } from './bench-process.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { watchCpu } from './cpu-per-item.ts';
import { type BenchRun, type Figure, reportEach } from './report.ts';

const barSeconds = 5;
const pollMs = 50;

function makeFile(): { text: string; rows: number } {
  const lines = ['email,firstName,plan,seats,signedUp'];
  let bytes = lines.join('').length + 1;
  for (let n = 0; ; n += 1) {
    const day = String(1 + (n % 28)).padStart(2, '0');
    const line = `reader-${n}@example.com,Name ${n % 5_000},${n % 3 === 0 ? 'pro' : 'free'},${n % 50},2026-01-${day}`;
    bytes += line.length + 1;
    if (bytes > maxImportBytes) return { text: `${lines.join('\n')}\n`, rows: n };
    lines.push(line);
  }
}

const queuedSchema = z.object({ jobId: z.string() });
const jobSchema = z.object({ state: z.string(), result: z.record(z.string(), z.unknown()).nullable() });

/** Seconds from the first uploaded byte to the end of the import job. */
async function runImport(
  url: string,
  key: string,
  text: string,
): Promise<{ seconds: number; result: unknown }> {
  const headers = { Authorization: `Bearer ${key}` };
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), 'contacts.csv');
  const startedAt = performance.now();
  const answer = await fetch(`${url}/contacts/import`, { method: 'POST', headers, body: form });
  const { jobId } = queuedSchema.parse(await answer.json());
  for (;;) {
    const asked = await fetch(`${url}/contacts/import/${jobId}`, { headers });
    const job = jobSchema.parse(await asked.json());
    if (job.state === 'failed') throw new Error('The import failed');
    if (job.state === 'completed')
      return { seconds: (performance.now() - startedAt) / 1000, result: job.result };
    await delay(pollMs);
  }
}

/** Tracks memory; the returned function reports the largest growth of each process. */
function watchMemory(pids: Record<string, number>): () => string {
  const before = Object.values(pids).map(residentMegabytesOf);
  const most = [...before];
  const timer = setInterval(() => {
    Object.values(pids).forEach((pid, index) => {
      most[index] = Math.max(most[index] ?? 0, residentMegabytesOf(pid));
    });
  }, 50);
  return () => {
    clearInterval(timer);
    const growth = Object.keys(pids).map(
      (name, index) => `${name} ${(most[index] ?? 0) - (before[index] ?? 0)} MB`,
    );
    return `memory grew by ${growth.join(', ')}`;
  };
}

async function* measure(stack: BenchStack): AsyncGenerator<Figure> {
  const temporal = await stack.startTemporal();
  const environment = { TEMPORAL_ADDRESS: temporal.address };
  const [api, worker] = [await stack.startApi(environment), await stack.startWorker(environment)];
  const url = `http://127.0.0.1:${api.port}`;
  const key = stack.project.secretKey;
  const { text, rows } = makeFile();
  // Warms up code, statements and connections, as in a process that has run for a while.
  await runImport(url, key, `${text.slice(0, text.indexOf('\n', 500_000))}\n`);
  await sql(stack.orm.em.fork(), 'truncate contacts, contact_figures, contact_figure_changes');

  const run = async () => {
    const cpu = watchCpu({
      API: api.pid,
      worker: worker.pid,
      Postgres: stack.postgresPid,
      Temporal: temporal.pid,
    });
    const memory = watchMemory({ API: api.pid, worker: worker.pid });
    const { seconds, result } = await runImport(url, key, text);
    return { seconds, result, note: `${(rows / seconds).toFixed(0)} rows/s; ${memory()}; ${cpu(rows)}` };
  };
  const created = await run();
  const bare = await measureBareImport(stack, text, newId());
  yield {
    work: `5 MB, ${rows} new contacts, upload to completed`,
    value: created.seconds,
    unit: 's',
    bar: { below: barSeconds },
    limits: bare,
    note: created.note,
  };
  const again = await run();
  yield { work: 'the same file again, nothing to change', value: again.seconds, unit: 's', note: again.note };
}

export function benchImport({ report }: BenchRun): Promise<void> {
  return withBenchStack((stack) => reportEach(measure(stack), report));
}
