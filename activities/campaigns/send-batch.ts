import { setTimeout as delay } from 'node:timers/promises';
import { recipientsPerBatch } from '../../core/campaign-batches.ts';
import { newId } from '../../core/new-id.ts';
import type { Orm } from '../../db/orm.ts';
import {
  claimCampaignEmails,
  readCampaignBatch,
} from '../../db/repositories/campaigns/claim-campaign-emails.ts';
import { loadContents } from '../../db/repositories/campaigns/load-contents.ts';
import {
  type BatchSeconds,
  settleBatch,
  undecided,
} from '../../db/repositories/campaigns/settle-campaign.ts';
import { type HandOverRecord, recordHandOvers } from '../../db/repositories/emails/record-hand-overs.ts';
import type { CampaignBatchInput, SendBatchResult } from '../../temporal/contracts/campaign.ts';
import type { SendRates } from '../emails/reserve-slots.ts';
import type { CampaignWatch } from './campaign-watch.ts';
import { type HandOverContext, handOverClaimed } from './hand-over-claimed.ts';
import { reserveCampaignSlots } from './reserve-campaign-slots.ts';

export interface SendBatchContext extends Omit<HandOverContext, 'maySend' | 'inMs'> {
  orm: Orm;
  isSending: CampaignWatch;
  /** The send rates that hold right now. */
  rates: () => Promise<SendRates>;
  seconds: BatchSeconds;
  /** Called after each commit that left rows in the journal. */
  recorded: () => void;
}

/** A run takes no more claims after this, so that other campaigns get their turn. */
const workMs = 20_000;
/** What has to wait for longer comes back later and leaves the worker to others meanwhile. */
const longestWaitMs = 2_000;
const disabledRetryMs = 30_000;

/** Sends of a batch what can be sent within some seconds. */
export async function sendBatch(
  context: SendBatchContext,
  { campaignId, batch: number }: CampaignBatchInput,
): Promise<SendBatchResult> {
  const { orm, signal } = context;
  const batch = await readCampaignBatch(orm.em.fork(), campaignId, number);
  if (batch === undefined || batch.state === 'over') return { sent: 0, queued: 0, retryInMs: 0, waiting: 0 };

  let retryInMs = 0;
  let sent = 0;
  if (batch.state === 'disabled') retryInMs = disabledRetryMs;
  else {
    const stored = await loadStored(orm, batch.contentId);
    const until = Date.now() + workMs;
    let left = batch.queued;
    while (left > 0 && retryInMs === 0 && !signal.aborted && Date.now() < until) {
      const wanted = Math.min(left, recipientsPerBatch);
      const slots = await reserveCampaignSlots(orm.em.fork(), batch.projectId, wanted, await context.rates());
      if (slots.granted === 0) {
        if (slots.retryInMs > longestWaitMs) retryInMs = slots.retryInMs;
        else await delay(slots.retryInMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const token = newId();
      const claimed = await claimCampaignEmails(orm.em.fork(), campaignId, batch, slots.granted, token);
      if (claimed.length === 0) break;
      left -= claimed.length;
      const outcome = await handOverClaimed(
        {
          ...context,
          signal: AbortSignal.any([signal, AbortSignal.timeout(context.seconds.lease * 1000)]),
          maySend: () => context.isSending(campaignId),
          inMs: slots.inMs,
        },
        claimed,
        stored,
      );
      await record(orm, token, outcome.records);
      context.recorded();
      sent += outcome.records.filter(({ status }) => status === 'SENT').length;
      retryInMs = outcome.retryInMs;
    }
  }
  const rest = await settleBatch(orm.em.fork(), campaignId, number, context.seconds, undecided);
  return { sent, queued: rest.queued, retryInMs, waiting: rest.waiting };
}

async function loadStored(orm: Orm, contentId: string | null) {
  if (contentId === null) return undefined;
  return (await loadContents(orm.em.fork(), [contentId])).get(contentId);
}

const recordTries = 30;

/**
 * What was handed over must be recorded, also when the database is away for a moment: what is not would have to wait
 * for the provider's events. Repeating it changes nothing.
 */
async function record(orm: Orm, token: string, records: HandOverRecord[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await recordHandOvers(orm.em.fork(), token, records);
      return;
    } catch (error) {
      if (tries === recordTries) throw error;
      await delay(500);
    }
  }
}
