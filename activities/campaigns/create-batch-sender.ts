import type { Orm } from '../../db/orm.ts';
import type { EmailProvider, HandOver } from '../../providers/email/email-provider.ts';
import type { CampaignBatchInput, SendBatchResult } from '../../temporal/contracts/campaign.ts';
import type { ClaimedRenderer } from '../emails/render-claimed.ts';
import type { SendRates } from '../emails/reserve-slots.ts';
import { batchSeconds } from './batch-seconds.ts';
import { createCallSlots } from './call-slots.ts';
import { createCampaignWatch } from './campaign-watch.ts';
import { sendBatch } from './send-batch.ts';

export interface BatchSenderDependencies {
  orm: Orm;
  provider: EmailProvider;
  /** For emails of which many have the same content. */
  render: ClaimedRenderer;
  /** The send rates that hold right now. */
  rates: () => Promise<SendRates>;
  unknownSeconds: number;
  /** Counts what became of a hand-over, for the metrics. */
  countHandOver: (outcome: HandOver['outcome'] | 'suppressed') => void;
  /** Called after each commit that left rows for the journal's reader. */
  recorded: () => void;
}

/** Sends of a batch of a campaign what can be sent within some seconds, until the signal is aborted. */
export type BatchSender = (input: CampaignBatchInput, signal: AbortSignal) => Promise<SendBatchResult>;

/** Calls to the provider for campaigns that run at a time. */
const callsAtOnce = 8;
/** Claims that are in hand at a time, of all campaigns: what a process that is killed leaves in doubt. */
const claimsAtOnce = 4;

/** Campaigns share the slots of one sender, so a process has one. */
export function createBatchSender(dependencies: BatchSenderDependencies): BatchSender {
  const { orm, provider, render, rates, unknownSeconds, countHandOver, recorded } = dependencies;
  const context = {
    orm,
    provider,
    render,
    calls: createCallSlots(callsAtOnce),
    claims: createCallSlots(claimsAtOnce),
    isSending: createCampaignWatch(orm),
    rates,
    seconds: batchSeconds(unknownSeconds),
    count: countHandOver,
    recorded,
  };
  return (input, signal) => sendBatch({ ...context, signal }, input);
}
