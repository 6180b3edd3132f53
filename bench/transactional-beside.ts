import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { callApi } from './call-api.ts';
import { type CampaignStage, fillContacts, runCampaign } from './campaign-run.ts';
import { presentCpu } from './cpu-per-item.ts';
import { measureHandOvers, sentEmailId } from './inbox.ts';
import { percentile } from './percentile.ts';
import { presentSpread } from './quiet-emails.ts';
import type { Figure } from './report.ts';

/** A trickle, and a stream that by itself takes half of a machine with two cores: a single email is one workflow. */
const [trickleEveryMs, streamEveryMs] = [100, 50];
/** How long the trickle lasts; the stream follows until the campaign is sent. */
const trickleMs = 12_000;

interface Target {
  stage: CampaignStage;
  ses: { url: string };
}

/** @returns milliseconds from each response until the provider had the email */
async function measureTransactional(
  { stage, ses }: Target,
  everyMs: number,
  shouldContinue: () => boolean,
): Promise<number[]> {
  const answeredAt = new Map<string, number>();
  const run = Date.now();
  for (let n = 0; shouldContinue(); n += 1) {
    const answer = await callApi(`http://127.0.0.1:${stage.api.port}/v1/send`, {
      key: stage.stack.project.secretKey,
      body: {
        to: `code-${run}-${n}@example.com`,
        from: `hello@${stage.stack.project.domain}`,
        subject: 'Your code',
        body: '<p>Hello, your code is 1234.</p>',
      },
    });
    answeredAt.set(sentEmailId(answer), Date.now());
    await delay(everyMs);
  }
  return measureHandOvers(ses.url, `code-${run}-`, answeredAt);
}

const [warmUpEmails, idleEmails] = [100, 100];

async function measureIdle(target: Target): Promise<number[]> {
  let left = warmUpEmails;
  await measureTransactional(target, streamEveryMs, () => left-- > 0);
  left = idleEmails;
  return measureTransactional(target, trickleEveryMs, () => left-- > 0);
}

/** Control run: an endless loop per core instead of a campaign. */
async function measureWithoutCores(target: Target): Promise<number[]> {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);']),
  );
  try {
    let left = idleEmails;
    return await measureTransactional(target, trickleEveryMs, () => left-- > 0);
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

export async function measureBeside(stage: CampaignStage, recipients: number): Promise<Figure> {
  await fillContacts(stage.stack, recipients);
  const idle: number[] = [];
  const withoutCores: number[] = [];
  const trickle: number[] = [];
  const stream: number[] = [];
  const run = await runCampaign(stage, {
    recipients: recipients,
    latencyMs: 20,
    async before(ses) {
      idle.push(...(await measureIdle({ stage, ses })));
      withoutCores.push(...(await measureWithoutCores({ stage, ses })));
    },
    async meanwhile(ses, isOver) {
      const target = { stage, ses };
      const until = Date.now() + trickleMs;
      const isTrickle = () => !isOver() && Date.now() < until;
      trickle.push(...(await measureTransactional(target, trickleEveryMs, isTrickle)));
      stream.push(...(await measureTransactional(target, streamEveryMs, () => !isOver())));
    },
  });
  return {
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
      `one every ${trickleEveryMs} ms: ${presentSpread(trickle)}; idle in the same worker: ${presentSpread(idle)}; ` +
      `one every ${streamEveryMs} ms: ${presentSpread(stream)}; the campaign at ${run.ratePerSecond.toFixed(0)}/s, ` +
      presentCpu(run.cpu),
  };
}
