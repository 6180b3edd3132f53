import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchAnalytics } from './analytics.ts';
import { benchCampaign } from './campaign.ts';
import { cleanUpNow } from './clean-up.ts';
import { benchColdStart } from './cold-start.ts';
import { benchContacts } from './contacts.ts';
import { benchEvents } from './events.ts';
import { benchImport } from './import.ts';
import { benchJournal } from './journal-process.ts';
import { benchNeighbours } from './neighbours.ts';
import { type Figure, presentFigure, presentSummary, type Report } from './report.ts';
import { benchSegments } from './segments.ts';
import { benchSend } from './send.ts';
import { benchTrack } from './track.ts';
import { benchWorkflows } from './workflows.ts';

/** Every bench by name, in the order in which they run. */
const benches: Record<string, () => Promise<Figure[]>> = {
  send: benchSend,
  track: benchTrack,
  events: benchEvents,
  contacts: benchContacts,
  campaign: benchCampaign,
  import: benchImport,
  journal: benchJournal,
  analytics: benchAnalytics,
  segments: benchSegments,
  workflows: benchWorkflows,
  neighbours: benchNeighbours,
  'cold-start': benchColdStart,
};

const resultsFolder = fileURLToPath(new URL('../.data/bench', import.meta.url));

async function runBench(name: string, run: () => Promise<Figure[]>): Promise<Report> {
  const loadBefore = loadavg()[0] ?? 0;
  const isBusy = loadBefore > availableParallelism() / 2;
  console.log(
    `\n${name}${isBusy ? `  (others use the machine: load average ${loadBefore.toFixed(1)})` : ''}`,
  );
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  try {
    const figures = await run();
    for (const figure of figures) console.log(presentFigure(figure));
    return { bench: name, seconds: seconds(), loadBefore, figures };
  } catch (error) {
    console.error(error);
    return { bench: name, seconds: seconds(), loadBefore, figures: [], failure: String(error) };
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches);
const unknown = names.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUpNow().finally(() => process.exit(1)));
}
const reports: Report[] = [];
for (const name of names) {
  const run = benches[name];
  if (run !== undefined) reports.push(await runBench(name, run));
}
console.log(`\n${presentSummary(reports)}`);
await mkdir(resultsFolder, { recursive: true });
const at = new Date().toISOString();
const file = join(resultsFolder, `${at.replaceAll(':', '-')}.json`);
await writeFile(file, `${JSON.stringify({ at, reports }, null, 2)}\n`);
console.log(`\nWritten to ${file}`);
if (reports.some((report) => report.failure !== undefined)) process.exitCode = 1;
