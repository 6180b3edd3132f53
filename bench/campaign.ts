import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { freePort, withBenchStack } from './bench-stack.ts';
import { type CampaignPart, measureParts } from './campaign-parts.ts';
import {
  type CampaignRun,
  type CampaignRunOptions,
  type CampaignStage,
  fillContacts,
  runCampaign,
} from './campaign-run.ts';
import { presentCpu } from './cpu-per-item.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';
import { registerSender } from './ses-calls.ts';

/** Emails a second; what is short or long of the measure that the bar is about may stay a fifth below. */
const barOf = (recipients: number) => (recipients === 50_000 ? 5_000 : 4_000);
/** A trickle, and what takes half of such a machine by itself: an email alone is a workflow of its own. */
const [trickleEveryMs, streamEveryMs] = [200, 50];
/** How long the trickle lasts; the stream follows until the campaign has left. */
const trickleMs = 25_000;

const runs: CampaignRunOptions[] = [
  { recipients: 5_000, latencyMs: 0 },
  { recipients: 5_000, latencyMs: 20 },
  { recipients: 50_000, latencyMs: 0 },
  { recipients: 50_000, latencyMs: 20 },
  { recipients: 50_000, latencyMs: 20, killAt: 20_000 },
  { recipients: 200_000, latencyMs: 0 },
  { recipients: 200_000, latencyMs: 20 },
  { recipients: 200_000, latencyMs: 20, killAt: 100_000 },
];

/** Runs only those whose name begins with it, such as `50000/20`, `50000/20/killed` or `beside`. */
const only = process.env.BENCH_CAMPAIGN ?? '';
const nameOf = ({ recipients, latencyMs, killAt }: CampaignRunOptions) =>
  `${recipients}/${latencyMs}${killAt === undefined ? '' : '/killed'}`;
/** As many as there are contacts after the runs before it: its audience is everyone. */
const besideRecipients = Math.max(...runs.map(({ recipients }) => recipients));
/** So that what a killed worker had in hand is settled soon, but not before the events that are held back arrive. */
const unknownOutcomeSeconds = '60';

const sentSchema = z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) });
const inboxSchema = z.object({
  messages: z.array(z.object({ emailId: z.string().nullable(), receivedAt: z.coerce.date() })),
});

/** Transactional emails at a steady pace. @returns milliseconds from each answer until the provider had the email */
async function measureTransactional(
  stage: CampaignStage,
  everyMs: number,
  goesOn: () => boolean,
): Promise<number[]> {
  const answeredAt = new Map<string, number>();
  const run = Date.now();
  for (let n = 0; goesOn(); n += 1) {
    const answer = await fetch(`http://127.0.0.1:${stage.api.port}/v1/send`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${stage.stack.project.secretKey}`,
      },
      body: JSON.stringify({
        to: `code-${run}-${n}@example.com`,
        from: `hello@${stage.stack.project.domain}`,
        subject: 'Your code',
        body: '<p>Hello, your code is 1234.</p>',
      }),
    });
    const { data } = sentSchema.parse(await answer.json());
    answeredAt.set(data.emails[0]?.email ?? '', Date.now());
    await delay(everyMs);
  }
  for (;;) {
    const query = new URLSearchParams({ to: `code-${run}-`, limit: '100000' });
    const { messages } = inboxSchema.parse(
      await (await fetch(`${stage.ses.url}/api/messages?${query}`)).json(),
    );
    if (messages.length >= answeredAt.size) {
      return messages.map(
        ({ emailId, receivedAt }) => receivedAt.getTime() - (answeredAt.get(emailId ?? '') ?? 0),
      );
    }
    await delay(100);
  }
}

const [warmUpEmails, idleEmails] = [100, 150];

async function measureIdle(stage: CampaignStage): Promise<number[]> {
  let left = warmUpEmails;
  await measureTransactional(stage, streamEveryMs, () => left-- > 0);
  left = idleEmails;
  return measureTransactional(stage, trickleEveryMs, () => left-- > 0);
}

/** The same with an endless loop for each core instead of a campaign. */
async function measureWithoutCores(stage: CampaignStage): Promise<number[]> {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);']),
  );
  try {
    let left = idleEmails;
    return await measureTransactional(stage, trickleEveryMs, () => left-- > 0);
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

/** What stands in the way: the CPU of all parts together, and each part alone. */
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
  { recipients, latencyMs, killAt }: CampaignRunOptions,
  run: CampaignRun,
  parts: readonly CampaignPart[],
): Figure {
  const kill = killAt === undefined ? '' : ', worker killed';
  const doubtful =
    killAt === undefined
      ? ''
      : `; ${run.doubtful.emails} were in its hand, ${run.doubtful.sentAgain} of them had not left and were sent ` +
        `again, the last one settled ${run.doubtful.settledAfterSeconds.toFixed(0)} s after the call; the next worker polled ` +
        `${run.restart.readyAfterMs} ms after the kill and handed over after ${run.restart.resumedAfterMs} ms`;
  return {
    work: `${recipients.toLocaleString('en-US')} recipients, ${latencyMs} ms${kill}`,
    value: run.ratePerSecond,
    unit: '/s',
    bar: { atLeast: barOf(recipients) },
    limits: limitsOf(run, parts),
    note:
      `${run.seconds.toFixed(2)} s, first after ${run.firstAfterMs} ms, events applied in ${run.eventsSeconds.toFixed(1)} s` +
      `${doubtful}; ${presentCpu(run.cpu)}`,
  };
}

/** Campaigns from the send call to the last hand-over, with API, worker and local SES as processes of their own. */
export async function benchCampaign(): Promise<Figure[]> {
  const parts = await measureParts();
  return withBenchStack(async (stack) => {
    const [sesPort, apiPort, temporal] = await Promise.all([freePort(), freePort(), stack.startTemporal()]);
    const ses = await stack.startSes(sesPort, `http://127.0.0.1:${apiPort}/webhooks/sns`);
    await registerSender(ses.url, stack.project.domain);
    const environment = {
      TEMPORAL_ADDRESS: temporal.address,
      SES_ENDPOINT: ses.url,
      SNS_LOCAL_HOST: `127.0.0.1:${sesPort}`,
      UNKNOWN_OUTCOME_SECONDS: unknownOutcomeSeconds,
    };
    const api = await stack.startApi({ ...environment, PORT: String(apiPort) });
    const stage: CampaignStage = {
      stack,
      api,
      ses,
      temporalPid: temporal.pid,
      startWorker: () => stack.startWorker(environment),
    };
    const figures: Figure[] = [];
    for (const options of runs.filter((options) => nameOf(options).startsWith(only))) {
      await fillContacts(stack, options.recipients);
      figures.push(present(options, await runCampaign(stage, options), parts));
    }
    if (!'beside'.startsWith(only)) return figures;

    await fillContacts(stack, besideRecipients);
    const idle: number[] = [];
    const withoutCores: number[] = [];
    const trickle: number[] = [];
    const stream: number[] = [];
    const run = await runCampaign(stage, {
      recipients: besideRecipients,
      latencyMs: 20,
      async before() {
        idle.push(...(await measureIdle(stage)));
        withoutCores.push(...(await measureWithoutCores(stage)));
      },
      async meanwhile(isOver) {
        const until = Date.now() + trickleMs;
        const isTrickle = () => !isOver() && Date.now() < until;
        trickle.push(...(await measureTransactional(stage, trickleEveryMs, isTrickle)));
        stream.push(...(await measureTransactional(stage, streamEveryMs, () => !isOver())));
      },
    });
    const spread = (samples: readonly number[]) =>
      `p50 ${percentile(samples, 0.5).toFixed(0)} ms, p99 ${percentile(samples, 0.99).toFixed(0)} ms of ${samples.length}`;
    figures.push({
      work: 'transactional email while a campaign is sent, p99',
      value: percentile(trickle, 0.99),
      unit: 'ms',
      bar: { below: 2 * percentile(idle, 0.99) },
      limits: [
        {
          what: 'with an endless loop for each core instead of the campaign',
          value: percentile(withoutCores, 0.99),
          unit: 'ms',
        },
      ],
      note:
        `one every ${trickleEveryMs} ms: ${spread(trickle)}; idle in the same worker: ${spread(idle)}; ` +
        `one every ${streamEveryMs} ms: ${spread(stream)}; the campaign at ${run.ratePerSecond.toFixed(0)}/s, ` +
        presentCpu(run.cpu),
    });
    return figures;
  });
}
