import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type CampaignStage, fillContacts, runCampaign } from './campaign-run.ts';
import { presentCpu } from './cpu-per-item.ts';
import { percentile } from './percentile.ts';
import type { Figure } from './report.ts';

/** A trickle, and a stream that by itself takes half of a machine with two cores: a single email is one workflow. */
const [trickleEveryMs, streamEveryMs] = [100, 50];
/** How long the trickle lasts; the stream follows until the campaign is sent. */
const trickleMs = 12_000;

const sentSchema = z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) });
const inboxSchema = z.object({
  messages: z.array(z.object({ emailId: z.string().nullable(), receivedAt: z.coerce.date() })),
});

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
    const { messages } = inboxSchema.parse(await (await fetch(`${ses.url}/api/messages?${query}`)).json());
    if (messages.length >= answeredAt.size) {
      return messages.map(
        ({ emailId, receivedAt }) => receivedAt.getTime() - (answeredAt.get(emailId ?? '') ?? 0),
      );
    }
    await delay(100);
  }
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
  const spread = (samples: readonly number[]) =>
    `p50 ${percentile(samples, 0.5).toFixed(0)} ms, p99 ${percentile(samples, 0.99).toFixed(0)} ms of ${samples.length}`;
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
      `one every ${trickleEveryMs} ms: ${spread(trickle)}; idle in the same worker: ${spread(idle)}; ` +
      `one every ${streamEveryMs} ms: ${spread(stream)}; the campaign at ${run.ratePerSecond.toFixed(0)}/s, ` +
      presentCpu(run.cpu),
  };
}
