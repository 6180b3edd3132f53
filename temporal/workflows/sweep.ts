import {
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { SweepActivities, SweepInput, SweepName } from '../contracts/sweeps.ts';
import { expireAll } from './expiry.ts';

const database = proxyLocalActivities<SweepActivities>({
  startToCloseTimeout: '5 minutes',
  retry: { maximumAttempts: 5 },
});

// Checking a large table may take hours, but happens only once.
const { keepPartitions } = proxyActivities<Pick<SweepActivities, 'keepPartitions'>>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 5 },
});

/** Pause between slices, so that a long sweep never monopolizes a worker. */
const restMs = 5_000;

const rounds: Record<SweepName, (input: SweepInput) => Promise<object>> = {
  campaigns: () => database.tendCampaigns(),
  'campaign-recount': () => database.recountCampaigns(),
  expired: expireAll,
  partitions: () => keepPartitions(),
  'stranded-emails': () => database.repairStrandedEmails(),
  'overdue-snoozes': () => database.endOverdueSnoozes(),
  'contact-figures': () => database.foldContactFigures(),
  'contact-erasures': () => database.eraseContacts(),
  'project-security': () => database.judgeSenders(),
  executions: () => database.remindExecutions(),
  'orphaned-executions': endOrphans,
};

export async function sweep(input: SweepInput): Promise<object> {
  const result = await rounds[input.sweep](input);
  setCurrentDetails(
    Object.entries(result)
      .map(([name, count]) => `- ${name}: **${count}**`)
      .join('\n'),
  );
  return result;
}

async function endOrphans(input: SweepInput): Promise<object> {
  const result = await database.endOrphanedExecutions({ resumeBefore: input.resumeBefore ?? 0 });
  if (result.resumeBefore === 0) return result;
  await sleep(restMs);
  return continueAsNew<typeof sweep>({ ...input, resumeBefore: result.resumeBefore });
}
