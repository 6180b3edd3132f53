import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import type { SendBatchResult } from '../../contracts/campaign.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { createCampaignWatch } from './campaign-watch.ts';
import { type BatchOrder, type SendBatchContext, sendBatch } from './send-batch.ts';

export interface BatchSenderDependencies
  extends Pick<
    SendBatchContext,
    'orm' | 'render' | 'rates' | 'unknownSeconds' | 'count' | 'warn' | 'recorded'
  > {
  provider: EmailProvider;
}

export type BatchSender = (order: BatchOrder, signal: AbortSignal) => Promise<SendBatchResult>;

const callsAtOnce = 8;
/** Concurrent claims across all campaigns. A process that dies leaves this many claims in doubt. */
const claimsAtOnce = 4;

/** One per process: campaigns share its slots. */
export function createBatchSender(dependencies: BatchSenderDependencies): BatchSender {
  /** The runs of this process, by batch. */
  const runs = new Map<string, { projectId: string; ended: Promise<unknown> }>();
  // Only campaigns use this event loop, and slow ones wait for their turn anyway.
  const needRests = () => [...runs.values()].some(({ projectId }) => !turns.isSlow(projectId));
  const turns = new RenderTurns(() => (needRests() ? 1 : 0));
  const context = {
    ...dependencies,
    notesBeginnings: dependencies.provider.name === 'smtp',
    turns,
    calls: new FairSemaphore(callsAtOnce),
    claims: new FairSemaphore(claimsAtOnce),
    slowClaims: new FairSemaphore(1),
    watch: createCampaignWatch(dependencies.orm),
  };
  return async (order, signal) => {
    // The head start and the workflow may send the same batch. If one still held claims, the other could not end it.
    const key = `${order.campaignId}/${order.batch}`;
    const before = runs.get(key);
    const run =
      before === undefined
        ? sendBatch({ ...context, signal }, order)
        : before.ended.then(() => sendBatch({ ...context, signal }, { ...order, read: undefined }));
    const ended = run.catch(() => undefined);
    runs.set(key, { projectId: order.projectId, ended });
    void ended.then(() => runs.get(key)?.ended === ended && runs.delete(key));
    return run;
  };
}
