import { mkdir, writeFile } from 'node:fs/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  newSegmentComputation,
  newSegmentCount,
  newSegmentRounds,
  type TrackedSegment,
} from '../temporal/contracts/segments.ts';
import type { RunStepInput } from '../temporal/contracts/workflow-execution.ts';
import { historyText } from './setup/history-text.ts';
import { scriptedExecutions } from './setup/scripted-executions.ts';
import { runWorkflow, startTimeSkipping } from './setup/time-skipping.ts';

/**
 * Records a history of every shape that a workflow can take, for the replay test. Run it when a workflow has a new
 * shape, and commit the new files beside the old ones: old histories are what running executions look like.
 *
 * `npm run record -- <label> [names of shapes]`
 */
const [label, ...names] = process.argv.slice(2);
if (label === undefined) throw new Error('Give the recording a label, such as the date.');

const open = { openIds: ['b'], retryInMs: 120_000, sent: 1, ended: 0 };
const jobActive = { ended: false, outcome: 'active', progress: 40, counts: { created: 2 } };
const jobCompleted = { ended: true, outcome: 'completed', progress: 100, counts: { created: 5 } };
const done = { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
const inTurn = <Value>(values: Value[]) => {
  let next = 0;
  return async () => values[Math.min(next++, values.length - 1)];
};
let failures = 0;
let localFailures = 0;
let erasures = 0;
let billingEnds = 0;
let looks = 0;
let longLooks = 0;

async function signalOwnWorkflow(signal: string): Promise<void> {
  const { workflowExecution } = Context.current().info;
  await environment.client.workflow.getHandle(workflowExecution?.workflowId ?? '').signal(signal);
}

let executionLooks = 0;
let executionCalls = 0;
let executionFailures = 0;
const stepAnswer = (visit: number) => ({ follow: 'step', visit, label: `step ${visit}` });

interface Shape {
  name: string;
  type: string;
  input: unknown;
  activities: object;
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

const shapes: Shape[] = [
  ...scriptedExecutions,
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
    name: 'email-batch-tried-locally',
    type: 'emailBatch',
    input: { emailIds: ['a'], round: 0, triesLocally: true },
    activities: { dispatchEmails: inTurn([done]) },
  },
  {
    name: 'email-batch-tried-locally-with-rounds',
    type: 'emailBatch',
    input: { emailIds: ['a', 'b'], round: 0, triesLocally: true },
    activities: { dispatchEmails: inTurn([open, open, done]) },
  },
  {
    name: 'email-batch-tried-locally-in-vain',
    type: 'emailBatch',
    input: { emailIds: ['a'], round: 0, triesLocally: true },
    activities: {
      dispatchEmails: async () => {
        localFailures += 1;
        if (localFailures < 3) throw new Error('no database');
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
    name: 'contact-snooze',
    type: 'contactSnooze',
    input: { contactId: 'c' },
    activities: {
      endSnooze: inTurn([{ outcome: 'waiting', inMs: 86_400_000 }, { outcome: 'resubscribed' }]),
    },
  },
  {
    name: 'contact-snooze-moved',
    type: 'contactSnooze',
    input: { contactId: 'c' },
    activities: {
      endSnooze: async () => {
        looks += 1;
        // The news comes while the activity runs, so that the next look is at once.
        if (looks < 3) await signalOwnWorkflow('snoozeMoved');
        return looks < 4 ? { outcome: 'waiting', inMs: 86_400_000 * looks } : { outcome: 'ended' };
      },
    },
  },
  {
    name: 'contact-snooze-long',
    type: 'contactSnooze',
    input: { contactId: 'c' },
    activities: {
      endSnooze: async () => {
        longLooks += 1;
        if (longLooks > 10) return { outcome: 'resubscribed' };
        for (let i = 0; i < 60; i += 1) await signalOwnWorkflow('snoozeMoved');
        return { outcome: 'waiting', inMs: 86_400_000 };
      },
    },
  },
  {
    name: 'workflow-execution-at-once',
    type: 'workflowExecution',
    input: { executionId: 'x' },
    activities: { runStep: inTurn([stepAnswer(2), { follow: 'end', status: 'EXITED' }]) },
  },
  {
    name: 'workflow-execution-with-waits',
    type: 'workflowExecution',
    input: { executionId: 'x' },
    activities: {
      runStep: async () => {
        executionLooks += 1;
        switch (executionLooks) {
          case 1:
            return { follow: 'sleep', visit: 1, label: 'DELAY', ms: 86_400_000 };
          case 3:
            return { follow: 'wait', visit: 2, label: 'WAIT_FOR_EVENT', ms: 3_600_000 };
          case 5:
            await signalOwnWorkflow('changed');
            return { follow: 'wait', visit: 3, label: 'WAIT_FOR_EVENT', ms: null };
          case 7:
            return { follow: 'end', status: 'COMPLETED' };
          default:
            return stepAnswer(Math.ceil(executionLooks / 2) + 1);
        }
      },
    },
  },
  {
    name: 'workflow-execution-with-calls',
    type: 'workflowExecution',
    input: { executionId: 'x' },
    activities: {
      runStep: inTurn([
        { follow: 'call', visit: 1, label: 'WEBHOOK' },
        stepAnswer(2),
        { follow: 'call', visit: 2, label: 'WEBHOOK' },
        { follow: 'end', status: 'FAILED' },
      ]),
      callWebhook: async ({ visit }: RunStepInput) => {
        if (visit === 2) throw new Error('The answer was 503');
      },
      failStep: async () => undefined,
    },
  },
  {
    name: 'workflow-execution-call-not-made',
    type: 'workflowExecution',
    input: { executionId: 'x' },
    activities: {
      runStep: inTurn([
        { follow: 'call', visit: 1, label: 'WEBHOOK' },
        { follow: 'call', visit: 1, label: 'WEBHOOK' },
        { follow: 'call', visit: 2, label: 'WEBHOOK' },
        { follow: 'end', status: 'FAILED' },
      ]),
      callWebhook: async ({ visit }: RunStepInput) => {
        if (visit === 2) throw ApplicationFailure.retryable('The answer was 503', 'answered');
        executionCalls += 1;
        if (executionCalls < 6) throw new Error('no database');
      },
      failStep: async () => undefined,
    },
  },
  {
    name: 'workflow-execution-with-failures',
    type: 'workflowExecution',
    input: { executionId: 'x' },
    activities: {
      runStep: async () => {
        executionFailures += 1;
        if (executionFailures < 6) throw new Error('no database');
        return { follow: 'end', status: 'CANCELLED' };
      },
    },
  },
  {
    name: 'event-deletion',
    type: 'eventDeletion',
    input: { deletionId: 'd' },
    activities: { eraseEvents: async () => undefined, closeEventDeletion: async () => undefined },
  },
  {
    name: 'inbound-email',
    type: 'inboundEmail',
    input: { inboundId: 'i' },
    activities: { receiveInboundEmail: async () => undefined, giveUpInboundEmail: async () => undefined },
  },
  {
    name: 'inbound-email-given-up',
    type: 'inboundEmail',
    input: { inboundId: 'i' },
    activities: {
      receiveInboundEmail: async () => {
        throw new Error('no bucket');
      },
      giveUpInboundEmail: async () => undefined,
    },
  },
  {
    name: 'billing-end-with-failures',
    type: 'billingEnd',
    input: { projectId: 'p' },
    activities: {
      endBilling: async () => {
        billingEnds += 1;
        if (billingEnds < 4) throw new Error('no Stripe');
      },
    },
  },
  {
    name: 'project-erasure',
    type: 'projectErasure',
    input: { erasureId: 'e' },
    activities: { eraseProject: async () => undefined, closeProjectErasure: async () => undefined },
  },
  {
    name: 'project-erasure-with-failures',
    type: 'projectErasure',
    input: { erasureId: 'e' },
    activities: {
      eraseProject: async () => {
        erasures += 1;
        if (erasures % 3 !== 0) throw new Error('no ClickHouse');
      },
      closeProjectErasure: async () => undefined,
    },
  },
  {
    name: 'sweep-expired-by-activity',
    type: 'sweep',
    input: { sweep: 'expired' },
    activities: {
      listExpiries: async () => ['keys', 'contents'],
      expire: async () => ({ count: 3, isFinished: true }),
    },
  },
  {
    name: 'sweep-orphaned-executions',
    type: 'sweep',
    input: { sweep: 'orphaned-executions' },
    activities: {
      endOrphanedExecutions: inTurn([
        { running: 500, orphaned: 1, resumeBefore: 1_800_000_000_000 },
        { running: 20, orphaned: 0, resumeBefore: 0 },
      ]),
    },
  },
  {
    name: 'sweep-stranded-emails',
    type: 'sweep',
    input: { sweep: 'stranded-emails' },
    activities: { repairStrandedEmails: async () => ({ requeued: 2 }) },
  },
  {
    name: 'sweep-overdue-snoozes',
    type: 'sweep',
    input: { sweep: 'overdue-snoozes' },
    activities: { endOverdueSnoozes: async () => ({ ended: 2 }) },
  },
  {
    name: 'sweep-contact-figures',
    type: 'sweep',
    input: { sweep: 'contact-figures' },
    activities: { foldContactFigures: async () => ({ folded: 5, typed: 1 }) },
  },
  {
    name: 'segment-computation',
    type: 'segmentComputation',
    input: newSegmentComputation,
    activities: {
      listTrackedSegments: inTurn([
        [
          { projectId: 'p', segmentId: 'a' },
          { projectId: 'p', segmentId: 'b' },
        ],
        [],
      ]),
      computeSegment: async () => ({ added: 2, removed: 1, total: 5 }),
    },
  },
  {
    name: 'segment-computation-with-failures',
    type: 'segmentComputation',
    input: newSegmentComputation,
    activities: {
      listTrackedSegments: inTurn([
        [
          { projectId: 'p', segmentId: 'a' },
          { projectId: 'p', segmentId: 'b' },
        ],
        [],
      ]),
      computeSegment: async ({ segmentId }: TrackedSegment) => {
        if (segmentId === 'a') throw new Error('no database');
        return null;
      },
    },
  },
  {
    name: 'segment-rounds',
    type: 'segmentRounds',
    input: newSegmentRounds,
    activities: {
      listSegmentTurns: inTurn([['a', 'b', 'c', 'd'], ['a'], []]),
      evaluateSegmentChanges: async () => ({ changes: 5, added: 2, removed: 1, failed: 0 }),
    },
  },
  {
    name: 'segment-rounds-with-failures',
    type: 'segmentRounds',
    input: newSegmentRounds,
    activities: {
      listSegmentTurns: inTurn([['a', 'b'], ['a'], ['a', 'c'], ['a']]),
      evaluateSegmentChanges: async ({ projectId }: { projectId: string }) => {
        if (projectId === 'a') throw new Error('no database');
        return { changes: 5, added: 2, removed: 1, failed: 0 };
      },
    },
  },
  {
    name: 'segment-count',
    type: 'segmentCount',
    input: newSegmentCount,
    activities: {
      countSegments: inTurn([
        { counted: 50, failed: 0, hasMore: true },
        { counted: 3, failed: 1, hasMore: false },
      ]),
    },
  },
  {
    name: 'contact-import',
    type: 'contactImport',
    input: { jobId: 'j' },
    activities: { importContacts: inTurn([jobActive, jobActive, jobCompleted]) },
  },
  {
    name: 'contact-bulk',
    type: 'contactBulk',
    input: { jobId: 'j' },
    activities: { changeContacts: inTurn([jobCompleted]) },
  },
];

const folder = new URL('../temporal/histories/', import.meta.url);
await mkdir(folder, { recursive: true });
const environment = await startTimeSkipping();
for (const { name, type, input, activities, meanwhile } of shapes) {
  if (names.length > 0 && !names.includes(name)) continue;
  const { histories } = await runWorkflow(environment, type, input, activities, {}, meanwhile);
  for (const [index, history] of histories.entries()) {
    const part = histories.length > 1 ? `-${index + 1}` : '';
    await writeFile(new URL(`${name}${part}.${label}.json`, folder), historyText(history));
  }
}
await environment.teardown();
