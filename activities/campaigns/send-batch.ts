import { setTimeout as delay } from 'node:timers/promises';
import { emailsPerClaim } from '../../core/campaign-batches.ts';
import { newId } from '../../core/new-id.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type CampaignBatchContext,
  claimCampaignEmails,
  readCampaignBatch,
} from '../../db/repositories/campaigns/claim-campaign-emails.ts';
import { loadContents } from '../../db/repositories/campaigns/load-contents.ts';
import {
  type BatchSeconds,
  settleBatch,
  undecided,
} from '../../db/repositories/campaigns/settle-campaign.ts';
import type { ClaimedEmail } from '../../db/repositories/emails/claim-emails.ts';
import type { CampaignBatchInput, SendBatchResult } from '../../temporal/contracts/campaign.ts';
import { recordSurely } from '../emails/record-surely.ts';
import type { SendRates } from '../emails/reserve-slots.ts';
import type { CallSlots } from './call-slots.ts';
import type { CampaignWatch } from './campaign-watch.ts';
import { type HandOverContext, handOverClaimed } from './hand-over-claimed.ts';
import { reserveCampaignSlots } from './reserve-campaign-slots.ts';

export interface SendBatchContext extends Omit<HandOverContext, 'maySend' | 'inMs'> {
  orm: Orm;
  /** Claims that are in the hand of this process at a time; what waits for its pace needs no slot. */
  claims: CallSlots;
  isSending: CampaignWatch;
  /** The send rates that hold right now. */
  rates: () => Promise<SendRates>;
  seconds: BatchSeconds;
  /** Called after each commit that left rows in the journal. */
  recorded: () => void;
}

/** Claims of a batch that are in hand at a time: while one is handed over, others are taken and recorded. */
const claimsAtOnce = 3;
/** A run takes no more claims after this, so that other campaigns get their turn. */
const workMs = 20_000;
/** What has to wait for longer comes back later and leaves the worker to others meanwhile. */
const longestWaitMs = 2_000;
/** What leaves later than this waits for its pace and not for this process. */
const pacedMs = 250;
const disabledRetryMs = 30_000;

/** Sends of a batch what can be sent within some seconds. */
export async function sendBatch(
  context: SendBatchContext,
  { campaignId, batch: number }: CampaignBatchInput,
): Promise<SendBatchResult> {
  const { orm } = context;
  const batch = await readCampaignBatch(orm.em.fork(), campaignId, number);
  if (batch === undefined || batch.state === 'over') return { sent: 0, queued: 0, retryInMs: 0, waiting: 0 };
  const { sent, retryInMs } =
    batch.state === 'disabled'
      ? { sent: 0, retryInMs: disabledRetryMs }
      : await sendQueued(context, campaignId, batch);
  const rest = await settleBatch(orm.em.fork(), campaignId, number, context.seconds, undecided);
  return { sent, queued: rest.queued, retryInMs, waiting: rest.waiting };
}

/** Goes once over the emails of a batch, in their order, a claim at a time. */
async function sendQueued(
  context: SendBatchContext,
  campaignId: string,
  batch: CampaignBatchContext,
): Promise<{ sent: number; retryInMs: number }> {
  const { orm, signal } = context;
  const { projectId, lastEmailId } = batch;
  const stored = await loadStored(orm, batch.contentId);
  const until = Date.now() + workMs;
  const underWay = new Set<Promise<void>>();
  let [left, firstEmailId, sent, retryInMs] = [batch.queued, batch.firstEmailId, 0, 0];

  /** @returns whether there may be more to claim */
  async function next(): Promise<boolean> {
    const giveBack = await context.claims.take(projectId);
    let handingOver: Promise<void> | undefined;
    try {
      const wanted = Math.min(left, emailsPerClaim);
      const slots = await reserveCampaignSlots(orm.em.fork(), projectId, wanted, await context.rates());
      if (slots.granted === 0) {
        giveBack();
        if (slots.retryInMs > longestWaitMs) retryInMs = Math.max(retryInMs, slots.retryInMs);
        else await delay(slots.retryInMs, undefined, { signal }).catch(() => undefined);
        return true;
      }
      if (slots.inMs(slots.granted - 1) > pacedMs) giveBack();
      const token = newId();
      const rest = { firstEmailId, lastEmailId };
      const claimed = await claimCampaignEmails(orm.em.fork(), campaignId, rest, slots.granted, token);
      const last = claimed.at(-1);
      if (last === undefined) return false;
      left -= claimed.length;
      firstEmailId = last.id;
      handingOver = handOver(token, claimed, slots.inMs).finally(giveBack);
    } finally {
      if (handingOver === undefined) giveBack();
    }
    underWay.add(handingOver);
    handingOver.then(
      () => underWay.delete(handingOver),
      () => undefined,
    );
    if (underWay.size >= claimsAtOnce) await Promise.race(underWay);
    return true;
  }

  async function handOver(
    token: string,
    claimed: readonly ClaimedEmail[],
    inMs: HandOverContext['inMs'],
  ): Promise<void> {
    const outcome = await handOverClaimed(
      {
        ...context,
        signal: AbortSignal.any([signal, AbortSignal.timeout(context.seconds.lease * 1000)]),
        maySend: () => context.isSending(campaignId),
        inMs,
      },
      claimed,
      stored,
    );
    await recordSurely(orm.em, token, outcome.records);
    context.recorded();
    sent += outcome.records.filter(({ status }) => status === 'SENT').length;
    retryInMs = Math.max(retryInMs, outcome.retryInMs);
  }

  try {
    while (left > 0 && retryInMs === 0 && !signal.aborted && Date.now() < until && (await next()));
    await Promise.all(underWay);
  } finally {
    // Also when one of them fails, the others are recorded.
    await Promise.allSettled(underWay);
  }
  return { sent, retryInMs };
}

async function loadStored(orm: Orm, contentId: string | null) {
  if (contentId === null) return undefined;
  return (await loadContents(orm.em.fork(), [contentId])).get(contentId);
}
