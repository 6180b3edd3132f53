import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchAnalytics } from './analytics.ts';
import { benchCampaign } from './campaign.ts';
import { cleanUpNow } from './clean-up.ts';
import { benchColdStart } from './cold-start.ts';
import { benchContacts } from './contacts.ts';
import { benchDashboard } from './dashboard.ts';
import { benchEvents } from './events.ts';
import { benchExplain } from './explain.ts';
import { benchImport } from './import.ts';
import { benchJournal } from './journal.ts';
import { benchNeighbours } from './neighbours.ts';
import {
  type BenchReport,
  type BenchRun,
  type Figure,
  presentFigure,
  presentMedians,
  presentSummary,
} from './report.ts';
import { benchSegments } from './segments.ts';
import { benchSend } from './send.ts';
import { benchTrack } from './track.ts';
import { benchWorkflows } from './workflows.ts';

interface Bench {
  run: (run: BenchRun) => Promise<void>;
  /** Duration on two cores; a bench without `quickSeconds` is left out of a quick run. */
  seconds: number;
  /** Runs only when named, so that a full run takes at most 15 minutes. */
  isApart?: true;
  quickSeconds?: number;
}

const benches: Record<string, Bench> = {
  send: { run: benchSend, seconds: 60, quickSeconds: 45 },
  track: { run: benchTrack, seconds: 40, quickSeconds: 25 },
  events: { run: benchEvents, seconds: 40, quickSeconds: 25 },
  campaign: { run: benchCampaign, seconds: 330, quickSeconds: 60 },
  import: { run: benchImport, seconds: 25, quickSeconds: 25 },
  'cold-start': { run: benchColdStart, seconds: 35, quickSeconds: 35 },
  contacts: { run: benchContacts, seconds: 50 },
  segments: { run: benchSegments, seconds: 200, isApart: true },
  dashboard: { run: benchDashboard, seconds: 500, isApart: true },
  journal: { run: benchJournal, seconds: 60 },
  analytics: { run: benchAnalytics, seconds: 90 },
  workflows: { run: benchWorkflows, seconds: 90 },
  neighbours: { run: benchNeighbours, seconds: 200, isApart: true },
  explain: { run: benchExplain, seconds: 600, isApart: true },
};

const usage = `Usage: npm run bench -- [--quick] [--runs N] [--folder FOLDER] [NAME …]
Benches: ${Object.keys(benches).join(', ')}.
--quick runs the hot paths only, each for a shorter time.
--runs repeats the benches and ends with the median and the spread of each row.
--folder keeps what explain fills in, for its next run.`;

const resultsFolder = fileURLToPath(new URL('../.data/bench', import.meta.url));

function presentSeconds(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds / 10) * 10} s` : `${Math.round(seconds / 60)} min`;
}

async function runBench(
  name: string,
  { run }: Bench,
  options: Pick<BenchRun, 'isQuick' | 'folder'>,
): Promise<BenchReport> {
  const loadBefore = loadavg()[0] ?? 0;
  const startedAt = performance.now();
  const figures: Figure[] = [];
  const report = (figure: Figure) => {
    figures.push(figure);
    console.log(presentFigure(figure));
  };
  const finished = (): BenchReport => {
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    return { bench: name, seconds, loadBefore, figures };
  };
  try {
    await run({ report, ...options });
    return finished();
  } catch (error) {
    console.error(error);
    return { ...finished(), failure: String(error) };
  }
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        runs: { type: 'string', default: '1' },
        folder: { type: 'string' },
      },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !(name in benches));
    if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}.`);
    const runs = Number(values.runs);
    if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number above 0.');
    const isWanted = ([name, { quickSeconds, isApart }]: [string, Bench]) =>
      positionals.length > 0
        ? positionals.includes(name)
        : !isApart && (!values.quick || quickSeconds !== undefined);
    const wanted = Object.entries(benches)
      .filter(isWanted)
      .map(([name]) => name);
    return {
      names: Array.from({ length: runs }, () => wanted).flat(),
      runs,
      isQuick: values.quick,
      folder: values.folder,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(1);
  }
}

const { names, runs, isQuick, folder } = readArguments();
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isInterrupted) return;
    isInterrupted = true;
    console.error('\nStopping …');
    void cleanUpNow().finally(() => process.exit(1));
  });
}
const expected = names.map((name) => {
  const { seconds = 0, quickSeconds = seconds } = benches[name] ?? {};
  return isQuick ? quickSeconds : seconds;
});
const reports: BenchReport[] = [];
for (const [index, name] of names.entries()) {
  const bench = benches[name];
  if (bench === undefined) continue;
  const left = presentSeconds(expected.slice(index).reduce((sum, seconds) => sum + seconds, 0));
  const load = loadavg()[0] ?? 0;
  const busy =
    load > availableParallelism() / 2 ? `; the machine is busy, load average ${load.toFixed(1)}` : '';
  console.log(`\n${name}  (${index + 1} of ${names.length}, about ${left} left${busy})`);
  reports.push(await runBench(name, bench, { isQuick, folder }));
}
console.log(`\n${runs > 1 ? presentMedians(reports) : presentSummary(reports)}`);
await mkdir(resultsFolder, { recursive: true });
const at = new Date().toISOString();
const file = join(resultsFolder, `${at.replaceAll(':', '-')}.json`);
await writeFile(file, `${JSON.stringify({ at, isQuick, reports }, null, 2)}\n`);
console.log(`\nWritten to ${file}`);
if (reports.some((report) => report.failure !== undefined)) process.exitCode = 1;
