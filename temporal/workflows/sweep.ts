import { proxyLocalActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SweepActivities, SweepInput } from '../contracts/sweeps.ts';

const {
  tendCampaigns,
  recountCampaigns,
  sweepExpired,
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

/** One run of a recurring repair or clean-up; the schedule is its clock. */
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
      return sweepExpired();
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
      return { ...(await endOrphanedExecutions({ resumeBefore: fromLastRun('resumeBefore') })) };
  }
}

/** A number of what the run before has answered: the schedule hands it on. 0 for the first one. */
function fromLastRun(name: string): number {
  const { lastResult } = workflowInfo();
  if (typeof lastResult !== 'object' || lastResult === null) return 0;
  const value: unknown = new Map<string, unknown>(Object.entries(lastResult)).get(name);
  return typeof value === 'number' ? value : 0;
}
