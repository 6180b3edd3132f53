import { mkdir, writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { runWorkflow, startTimeSkipping } from './setup/time-skipping.ts';

/**
 * Records a history of every shape that a workflow can take, for the replay test. Run it when a workflow has a new
 * shape, and commit the new files beside the old ones: old histories are what running executions look like.
 *
 * `node test/record-histories.ts <label>`
 */
const label = process.argv[2];
if (label === undefined) throw new Error('Give the recording a label, such as the date.');

const open = { openIds: ['b'], retryInMs: 120_000, sent: 1, ended: 0 };
const done = { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
const inTurn = <Value>(values: Value[]) => {
  let next = 0;
  return async () => values[Math.min(next++, values.length - 1)];
};
let failures = 0;

const shapes: { name: string; type: string; input: unknown; activities: object }[] = [
  {
    name: 'email-batch-at-once',
    type: 'emailBatch',
    input: { emailIds: ['a'], round: 0 },
    activities: { dispatchEmails: inTurn([done]) },
  },
  {
    name: 'email-batch-with-rounds',
    type: 'emailBatch',
    input: { emailIds: ['a', 'b'], round: 0 },
    activities: { dispatchEmails: inTurn([open, open, done]) },
  },
  {
    name: 'email-batch-with-failures',
    type: 'emailBatch',
    input: { emailIds: ['a'], round: 0 },
    activities: {
      dispatchEmails: async () => {
        failures += 1;
        if (failures < 4) throw new Error('no database');
        return done;
      },
    },
  },
  {
    name: 'domain-verification',
    type: 'domainVerification',
    input: { domainId: 'd' },
    activities: { checkDomain: inTurn(['pending', 'verified', 'pending', 'gone']) },
  },
  {
    name: 'event-deletion',
    type: 'eventDeletion',
    input: { deletionId: 'd' },
    activities: { eraseEvents: async () => undefined, closeEventDeletion: async () => undefined },
  },
  {
    name: 'sweep-expired',
    type: 'sweep',
    input: { sweep: 'expired' },
    activities: { sweepExpired: async () => ({ contents: 3 }) },
  },
  {
    name: 'sweep-stranded-emails',
    type: 'sweep',
    input: { sweep: 'stranded-emails' },
    activities: { repairStrandedEmails: async () => ({ requeued: 2 }) },
  },
  {
    name: 'sweep-contact-figures',
    type: 'sweep',
    input: { sweep: 'contact-figures' },
    activities: { foldContactFigures: async () => ({ folded: 5, typed: 1 }) },
  },
];

const folder = new URL('../temporal/histories/', import.meta.url);
await mkdir(folder, { recursive: true });
const environment = await startTimeSkipping();
for (const { name, type, input, activities } of shapes) {
  const { history } = await runWorkflow(environment, type, input, activities);
  await writeFile(new URL(`${name}.${label}.json`, folder), historyToJSON(history));
}
await environment.teardown();
