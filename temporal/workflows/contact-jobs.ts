import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { ContactJobActivities, ContactJobInput, ContactJobProgress } from '../contracts/contact-jobs.ts';
import { isHistoryLong } from './history-limits.ts';

const { importContacts, changeContacts } = proxyActivities<ContactJobActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

export const contactImport = (input: ContactJobInput) => runJob(importContacts, input);

export const contactBulk = (input: ContactJobInput) => runJob(changeContacts, input);

async function runJob(
  work: ContactJobActivities['importContacts'],
  input: ContactJobInput,
): Promise<ContactJobProgress> {
  for (;;) {
    const progress = await work(input);
    setCurrentDetails(describe(progress));
    if (progress.ended) return progress;
    if (isHistoryLong()) await continueAsNew<typeof contactImport>(input);
  }
}

function describe({ outcome, progress, counts }: ContactJobProgress): string {
  const lines = Object.entries(counts).map(([name, count]) => `- ${name}: **${count}**`);
  return [`**${outcome}**, ${progress} %`, ...lines].join('\n');
}
