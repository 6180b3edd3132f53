import {
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { SweepActivities, SweepInput } from '../contracts/sweeps.ts';
import { expireAll } from './expiry.ts';

const {
  tendCampaigns,
  recountCampaigns,
  repairStrandedEmails,
  endOverdueSnoozes,
  foldContactFigures,
  eraseContacts,
  judgeSenders,
  remindExecutions,
  endOrphanedExecutions,
} = proxyLocalActivities<SweepActivities>({
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

export async function sweep(input: SweepInput): Promise<Record<string, number>> {
  const result = await run(input);
  setCurrentDetails(
    Object.entries(result)
      .map(([name, count]) => `- ${name}: **${count}**`)
      .join('\n'),
  );
  return result;
}

async function run(input: SweepInput): Promise<Record<string, number>> {
  switch (input.sweep) {
    case 'campaigns':
      return { ...(await tendCampaigns()) };
    case 'campaign-recount':
      return { ...(await recountCampaigns()) };
    case 'expired':
      return expireAll();
    case 'partitions':
      return { ...(await keepPartitions()) };
    case 'stranded-emails':
      return { ...(await repairStrandedEmails()) };
    case 'overdue-snoozes':
      return { ...(await endOverdueSnoozes()) };
    case 'contact-figures':
      return { ...(await foldContactFigures()) };
    case 'contact-erasures':
      return { ...(await eraseContacts()) };
    case 'project-security':
      return { ...(await judgeSenders()) };
    case 'executions':
      return { ...(await remindExecutions()) };
    case 'orphaned-executions':
      return endOrphans(input);
  }
}

async function endOrphans(input: SweepInput): Promise<Record<string, number>> {
  const result = await endOrphanedExecutions({ resumeBefore: input.resumeBefore ?? 0 });
  if (result.resumeBefore === 0) return { ...result };
  await sleep(restMs);
  return continueAsNew<typeof sweep>({ ...input, resumeBefore: result.resumeBefore });
}
