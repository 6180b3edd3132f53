import { availableParallelism } from 'node:os';
import { freePort } from '../local/testing/free-port.ts';
import { type BareRun, runBareCampaign } from './bare-campaign.ts';
import { withBenchStack } from './bench-stack.ts';
import { type CampaignPart, measureParts } from './campaign-parts.ts';
import {
  type AppliedEvents,
  type CampaignRun,
  type CampaignRunOptions,
  type CampaignStage,
  control,
  fillContacts,
  runCampaign,
} from './campaign-run.ts';
import { presentCpu } from './cpu-per-item.ts';
import type { BenchRun, Figure } from './report.ts';
import { registerSender } from './ses-calls.ts';
import { measureBeside } from './transactional-beside.ts';

/** Emails per second; runs of a size other than the reference may be a fifth lower. */
const barOf = (recipients: number) => (recipients === 50_000 ? 5_000 : 4_000);
/** Ordered by size: contacts are added between runs, and each run sends to all of them. */
const runs: CampaignRunOptions[] = [
  { recipients: 5_000, latencyMs: 20 },
  { recipients: 50_000, latencyMs: 0, withEvents: true },
  { recipients: 50_000, latencyMs: 20 },
  { recipients: 50_000, latencyMs: 20, killAt: 20_000, withEvents: true },
  { recipients: 50_000, latencyMs: 20, killAt: 20_000, withStandby: true, withEvents: true },
  { recipients: 200_000, latencyMs: 20 },
];
/** Microseconds per email. */
const cpuBars = { worker: 110, Postgres: 80 };
const firstEmailMs = 300;
/** From the kill of one worker until another one hands over. */
const takeOverMs = 1_000;
const eventsTimesSending = 3;
const quickRuns: CampaignRunOptions[] = [{ recipients: 50_000, latencyMs: 20 }];
const most = (of: readonly CampaignRunOptions[]) => Math.max(...of.map(({ recipients }) => recipients));

/** A prefix of the names of runs, such as `50000/20`, `50000/20/killed`, `50000/20/killed/standby` or `beside`. */
const only = process.env.BENCH_CAMPAIGN ?? '';
const nameOf = ({ recipients, latencyMs, killAt, withStandby }: CampaignRunOptions) =>
  `${recipients}/${latencyMs}${killAt === undefined ? '' : '/killed'}${withStandby ? '/standby' : ''}`;
/** Settles emails claimed by a killed worker soon, but not before the held events arrive. */
const unknownOutcomeSeconds = '60';

function limitsOf({ cpu }: CampaignRun, parts: readonly CampaignPart[]): NonNullable<Figure['limits']> {
  const total = Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
  const cores = availableParallelism();
  return [
    {
      what: `${cores} cores at ${total.toFixed(0)} µs an email, all processes`,
      value: (cores * 1e6) / total,
    },
    ...parts.map(({ what, ratePerSecond, cpu: micros }) => ({
      what: `${what}, ${micros.toFixed(0)} µs of CPU an email,`,
      value: ratePerSecond,
    })),
  ];
}

function present(
  { recipients, latencyMs, killAt, withStandby }: CampaignRunOptions,
  run: CampaignRun,
  parts: readonly CampaignPart[],
): Figure {
  const kill = killAt === undefined ? '' : `, ${withStandby ? 'one of two workers' : 'worker'} killed`;
  const events = run.events === null ? '' : `, events applied in ${run.events.seconds.toFixed(1)} s`;
  const doubtful =
    killAt === undefined
      ? ''
      : `; ${run.doubtful.emails} were in its hand, ${run.doubtful.sentAgain} of them had not left and were sent ` +
        `again, the last one settled ${run.doubtful.settledAfterSeconds.toFixed(0)} s after the call; the next worker ` +
        `handed over ${run.restart.resumedAfterMs} ms after the kill` +
        `${withStandby ? '' : ` and was ready after ${run.restart.readyAfterMs} ms`}`;
  return {
    work: `${recipients.toLocaleString('en-US')} recipients, ${latencyMs} ms${kill}`,
    value: run.ratePerSecond,
    unit: '/s',
    bar: { atLeast: barOf(recipients) },
    limits: limitsOf(run, parts),
    note:
      `${run.seconds.toFixed(2)} s, first after ${run.firstAfterMs} ms${events}` +
      `${doubtful}; ${presentCpu(run.cpu)}`,
  };
}

function presentTakeOver({ recipients, latencyMs }: CampaignRunOptions, { restart }: CampaignRun): Figure {
  const work = `${recipients.toLocaleString('en-US')} recipients, ${latencyMs} ms, from the kill to the other worker's email`;
  return { work, value: restart.resumedAfterMs, unit: 'ms', bar: { below: takeOverMs } };
}

/** The local SES describes, signs and posts each event, as SNS does elsewhere: its share is not the product's work. */
function presentEvents(
  { recipients, latencyMs }: CampaignRunOptions,
  sendingSeconds: number,
  { seconds, count, cpu }: AppliedEvents,
): Figure {
  const all = Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
  const cores = availableParallelism();
  return {
    work: `${recipients.toLocaleString('en-US')} recipients, ${latencyMs} ms, events applied`,
    value: seconds,
    unit: 's',
    bar: { below: eventsTimesSending * sendingSeconds },
    limits: [
      { what: "the local SES's own CPU, one core:", value: (count * (cpu.SES ?? 0)) / 1e6, unit: 's' },
      { what: `the CPU of all processes, ${cores} cores:`, value: (count * all) / 1e6 / cores, unit: 's' },
    ],
    note: `${count} events, ${(count / seconds).toFixed(0)}/s; ${presentCpu(cpu)}`,
  };
}

/** Has the size and latency of an undisturbed run, and runs right after it. */
async function runSkeleton(stage: CampaignStage, latencyMs: number): Promise<BareRun> {
  const ses = await stage.startSes();
  // As with the product: events wait until the last hand-over.
  await control(ses, '/api/events', { paused: true });
  await control(ses, '/api/faults', { latencyMs });
  const run = await runBareCampaign(stage.stack, ses.url);
  await ses.stop();
  return run;
}

/** Compares the product with the skeleton's run right after it, so that other load on the machine cancels out. */
function* compare(
  { recipients, latencyMs }: CampaignRunOptions,
  product: CampaignRun,
  skeleton: BareRun,
): Iterable<Figure> {
  const of = `${recipients.toLocaleString('en-US')} recipients, ${latencyMs} ms`;
  yield {
    work: `${of}, share of the skeleton's rate`,
    value: (product.ratePerSecond / skeleton.ratePerSecond) * 100,
    unit: '%',
    bar: { atLeast: 80 },
    note:
      `product ${product.ratePerSecond.toFixed(0)}/s, skeleton ${skeleton.ratePerSecond.toFixed(0)}/s; ` +
      `the skeleton's ${presentCpu(skeleton.cpu)}`,
  };
  for (const [process, micros] of Object.entries(cpuBars)) {
    const bare = skeleton.cpu[process === 'worker' ? 'skeleton' : 'Postgres'];
    yield {
      work: `${of}, CPU of the ${process}`,
      value: product.cpu[process] ?? 0,
      unit: 'µs an email',
      bar: { below: micros },
      limits: [{ what: 'the skeleton', value: bare, unit: 'µs' }],
    };
  }
  yield { work: `${of}, first email`, value: product.firstAfterMs, unit: 'ms', bar: { below: firstEmailMs } };
}

export async function benchCampaign({ report, isQuick }: BenchRun): Promise<void> {
  const parts = await measureParts();
  await withBenchStack(async (stack) => {
    const [sesPort, apiPort, temporal] = await Promise.all([freePort(), freePort(), stack.startTemporal()]);
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      SES_ENDPOINT: `http://127.0.0.1:${sesPort}`,
      SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
      UNKNOWN_OUTCOME_SECONDS: unknownOutcomeSeconds,
    };
    const stage: CampaignStage = {
      stack,
      api: await stack.startApi({ ...environment, PORT: String(apiPort) }),
      temporalPid: temporal.pid,
      startSes: async () => {
        const ses = await stack.startSes(sesPort, `http://127.0.0.1:${apiPort}/webhooks/sns`);
        await registerSender(ses.url, stack.project.domain);
        return ses;
      },
      startWorker: () => stack.startWorker(environment),
    };
    const wanted = (isQuick ? quickRuns : runs).filter((options) => nameOf(options).startsWith(only));
    for (const options of wanted) {
      await fillContacts(stack, options.recipients);
      const run = await runCampaign(stage, options);
      report(present(options, run, parts));
      if (options.withStandby) report(presentTakeOver(options, run));
      if (options.killAt !== undefined) continue;
      if (run.events !== null) report(presentEvents(options, run.seconds, run.events));
      for (const figure of compare(options, run, await runSkeleton(stage, options.latencyMs))) report(figure);
    }
    if (!isQuick && 'beside'.startsWith(only)) report(await measureBeside(stage, most(runs)));
  });
}
