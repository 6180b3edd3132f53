import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import type { SendBatchResult } from '../../contracts/campaign.ts';
import { createBeginningRecorder } from '../sending/record-beginnings.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import type { SenderDependencies } from '../sending/sending-context.ts';
import { createCampaignWatch } from './campaign-watch.ts';
import { type BatchContext, type BatchOrder, sendBatch } from './send-batch.ts';

export interface BatchSenderDependencies extends SenderDependencies {
  provider: EmailProvider;
  /** Called after each commit of outcomes. */
  recorded: () => void;
}

export type BatchSender = (order: BatchOrder, signal: AbortSignal) => Promise<SendBatchResult>;

const callsAtOnce = 8;
/** Concurrent claims across all campaigns. A process that dies leaves this many claims in doubt. */
const claimsAtOnce = 4;

/** One per process: campaigns share its slots. */
export function createBatchSender({ orm, ...dependencies }: BatchSenderDependencies): BatchSender {
  /** The runs of this process, by batch. */
  const runs = new Map<string, { projectId: string; ended: Promise<unknown> }>();
  // Only campaigns use this event loop, and slow ones wait for their turn anyway.
  const needRests = () => [...runs.values()].some(({ projectId }) => !turns.isSlow(projectId));
  const turns = new RenderTurns(() => (needRests() ? 1 : 0));
  const context: BatchContext = {
    ...dependencies,
    em: orm.em,
    // Without provider events, a dead process should leave few emails in doubt.
    begin: dependencies.provider.name === 'smtp' ? createBeginningRecorder(orm) : undefined,
    turns,
    calls: new FairSemaphore(callsAtOnce),
    claims: new FairSemaphore(claimsAtOnce),
    slowClaims: new FairSemaphore(1),
    watch: createCampaignWatch(orm),
  };
  return async (order, signal) => {
    // The head start and the workflow may send the same batch. If one still held claims, the other could not end it.
    const key = `${order.campaignId}/${order.batch}`;
    const before = runs.get(key);
    const run =
      before === undefined
        ? sendBatch(context, order, signal)
        : before.ended.then(() => sendBatch(context, { ...order, read: undefined }, signal));
    const ended = run.catch(() => undefined);
    runs.set(key, { projectId: order.projectId, ended });
    void ended.then(() => runs.get(key)?.ended === ended && runs.delete(key));
    return run;
  };
}
