import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import {
  newSegmentComputation,
  newSegmentCount,
  newSegmentRounds,
  type TrackedSegment,
} from '../../temporal/contracts/segments.ts';

/** A path that a workflow can take, determined by the answers of its activities. */
export interface ScriptedShape {
  name: string;
  type: string;
  input: unknown;
  activities: object;
  /** Runs while the workflow does; time is not skipped meanwhile. */
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
}

/** An activity that fails this many times and then succeeds. */
export function afterFailures<Value>(count: number, reason: string, value: Value): () => Promise<Value> {
  let failures = 0;
  return async () => {
    failures += 1;
    if (failures <= count) throw new Error(reason);
    return value;
  };
}

/** For use in activities: while one runs, its workflow waits for it. */
export async function signalOwnWorkflow(signal: string): Promise<void> {
  const { client, info } = Context.current();
  await client.workflow.getHandle(info.workflowExecution?.workflowId ?? '').signal(signal);
}

/** Returns the values in turn, then repeats the last one. */
const inTurn = <Value>(values: Value[]) => {
  let next = 0;
  return async () => values[Math.min(next++, values.length - 1)];
};
const open = { openIds: ['b'], retryInMs: 120_000, sent: 1, ended: 0 };
const done = { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
const jobActive = { ended: false, outcome: 'active', progress: 40, counts: { created: 2 } };
const jobCompleted = { ended: true, outcome: 'completed', progress: 100, counts: { created: 5 } };
const tracked = ['a', 'b'].map((segmentId) => ({ projectId: 'p', segmentId }));
let erasures = 0;
let looks = 0;
let longLooks = 0;

/** Shapes of all workflows except executions and campaigns. */
export const scriptedShapes: ScriptedShape[] = [
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
    activities: { dispatchEmails: afterFailures(3, 'no database', done) },
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
    activities: { dispatchEmails: afterFailures(2, 'no database', done) },
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
        // The signal arrives while the activity runs, so the workflow checks again at once.
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
    name: 'event-deletion',
    type: 'eventDeletion',
    input: { deletionId: 'd' },
    activities: { eraseEvents: async () => false, closeEventDeletion: async () => undefined },
  },
  {
    name: 'event-deletion-in-slices',
    type: 'eventDeletion',
    input: { deletionId: 'd' },
    activities: {
      eraseEvents: inTurn([true, true, false, true, false]),
      closeEventDeletion: async () => undefined,
    },
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
    activities: { endBilling: afterFailures(3, 'no Stripe', undefined) },
  },
  {
    name: 'project-erasure',
    type: 'projectErasure',
    input: { erasureId: 'e' },
    activities: { eraseProject: async () => false, closeProjectErasure: async () => undefined },
  },
  {
    name: 'project-erasure-in-slices',
    type: 'projectErasure',
    input: { erasureId: 'e' },
    activities: {
      eraseProject: inTurn([true, true, false, true, false]),
      closeProjectErasure: async () => undefined,
    },
  },
  {
    name: 'project-erasure-with-failures',
    type: 'projectErasure',
    input: { erasureId: 'e' },
    activities: {
      eraseProject: async () => {
        erasures += 1;
        if (erasures % 3 !== 0) throw new Error('no ClickHouse');
        return false;
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
      listTrackedSegments: inTurn([tracked, []]),
      computeSegment: async () => ({ added: 2, removed: 1, total: 5 }),
    },
  },
  {
    name: 'segment-computation-with-failures',
    type: 'segmentComputation',
    input: newSegmentComputation,
    activities: {
      listTrackedSegments: inTurn([tracked, []]),
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
