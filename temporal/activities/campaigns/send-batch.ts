import { withoutAddresses } from '../../../core/addresses/without-addresses.ts';
import { emailsPerClaim } from '../../../core/campaign-batches.ts';
import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { newId } from '../../../core/new-id.ts';
import { pause } from '../../../core/pause.ts';
import type { Em } from '../../../db/orm.ts';
import { claimCampaignEmails } from '../../../db/statements/campaigns/claim-campaign-emails.ts';
import { type BatchToSend, readCampaignBatch } from '../../../db/statements/campaigns/read-campaign-batch.ts';
import { undecided } from '../../../db/statements/campaigns/send-event-evidence.ts';
import { settleBatch } from '../../../db/statements/campaigns/settle-batch.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { HandOverRecord } from '../../../db/statements/emails/hand-overs.ts';
import { loadContents, type StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import type { CampaignBatchInput, SendBatchResult } from '../../contracts/campaign.ts';
import { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { beginLease } from '../sending/lease.ts';
import { recordOutcomes } from '../sending/record-outcomes.ts';
import { crowdedRetryMs, slowEmails } from '../sending/render-turns.ts';
import type { CampaignWatch } from './campaign-watch.ts';
import { type BulkContext, type CampaignClaim, handOverCampaignEmails } from './hand-over-campaign-emails.ts';
import { type CampaignSlots, reserveCampaignSlots } from './reserve-campaign-slots.ts';

export interface BatchOrder extends CampaignBatchInput {
  /** The batch as just read, to save reading it again. */
  read?: BatchToSend | undefined;
  /** Leaves the batch open even when nothing is left of it: its workflow ends it. */
  leavesOpen?: boolean;
  /** Resolves when the freeze may have added to the batch since the last call; the same run sends the added emails. */
  growth?: () => Promise<void>;
}

/** What the batches of a process share. */
export interface BatchContext extends BulkContext {
  /** Limits the claims that this process works on at a time. A claim that only waits for its rate does not count. */
  claims: FairSemaphore;
  /** The same for projects that render slowly: they render one at a time, and would wait with a claim in hand. */
  slowClaims: FairSemaphore;
  watch: CampaignWatch;
  rates: () => Promise<SendRates>;
  recorded: () => void;
}

/** Concurrent claims per batch: one is handed over while others are claimed and recorded. */
const claimsAtOnce = 3;
/** A run makes no claim after this, so that other campaigns get a turn. */
const workMs = 20_000;
/** A longer wait for send slots ends the run, so that another batch can use its activity slot. */
const longestWaitMs = 2_000;
/** A claim spread over more than this is limited by its rate and makes room for another claim in the process. */
const pacedMs = 250;
const pausedRetryMs = 30_000;
/** More runs of a slow project need not wait for its next claim: they would hold activity slots. */
const slowRunsWaiting = 2;
const slowRunsWaitingInAll = 10;

export async function sendBatch(
  context: BatchContext,
  order: BatchOrder,
  signal: AbortSignal,
): Promise<SendBatchResult> {
  const { em, unknownSeconds } = context;
  const { campaignId, batch: number, read, leavesOpen = false } = order;
  const batch = read ?? (await readCampaignBatch(em.fork(), campaignId, number));
  if (batch === undefined || batch.state === 'over') return { sent: 0, queued: 0, retryInMs: 0, waiting: 0 };
  const run = batch.state === 'paused' ? undefined : new BatchRun(context, order, batch, signal);
  await run?.sendAll();
  const { sent, retryInMs, reason } = run ?? { sent: 0, retryInMs: pausedRetryMs, reason: batch.pause };
  if (leavesOpen) return { sent, queued: 0, retryInMs, waiting: 0 };
  const { queued, waiting, dueInMs } = await settleBatch(
    em.fork(),
    campaignId,
    number,
    unknownSeconds,
    undecided,
  );
  return {
    sent,
    queued,
    retryInMs: Math.max(retryInMs, dueInMs),
    waiting,
    ...(queued + waiting > 0 && reason !== null && { reason: withoutAddresses(reason) }),
  };
}

class BatchRun {
  readonly #context: BatchContext;
  readonly #order: BatchOrder;
  readonly #signal: AbortSignal;
  #batch: BatchToSend;
  readonly #stored: Promise<StoredContent | undefined>;
  readonly #until = performance.now() + workMs;
  readonly #underWay = new Set<Promise<void>>();
  #left: number;
  #firstEmailId: string;
  sent = 0;
  /** When to run the batch again; 0 while this run may continue. */
  retryInMs = 0;
  /** Why an email was left open. */
  reason: string | null = null;

  constructor(context: BatchContext, order: BatchOrder, batch: BatchToSend, signal: AbortSignal) {
    this.#context = context;
    this.#order = order;
    this.#signal = signal;
    this.#batch = batch;
    // Loads while the first claim reserves its slots.
    this.#stored = loadStored(context.em, batch.contentId);
    this.#stored.catch(() => undefined);
    this.#left = batch.due;
    this.#firstEmailId = batch.firstEmailId;
  }

  async sendAll(): Promise<void> {
    const mayContinue = () =>
      this.#left > 0 && this.retryInMs === 0 && !this.#signal.aborted && performance.now() < this.#until;
    try {
      do {
        while (mayContinue() && (await this.#next()));
      } while (await this.#grows());
      await Promise.all(this.#underWay);
    } finally {
      // If one fails, the others are still recorded.
      await Promise.allSettled(this.#underWay);
    }
  }

  /**
   * Whether the freeze added emails before the last claim was finished, so that this run can send them without a new
   * one.
   */
  async #grows(): Promise<boolean> {
    const { campaignId, batch: number, growth } = this.#order;
    if (growth === undefined || this.#left > 0 || this.retryInMs > 0) return false;
    const through = Promise.all(this.#underWay).then(() => false);
    if (!(await Promise.race([growth().then(() => true), through]))) return false;
    const batch = await readCampaignBatch(this.#context.em.fork(), campaignId, number);
    if (batch?.state !== 'sending') return false;
    this.#batch = batch;
    this.#left = batch.due;
    return true;
  }

  async #next(): Promise<boolean> {
    const place = await this.#takePlace();
    if (place === undefined) return false;
    const { release, isSlow } = place;
    let handingOver: Promise<void> | undefined;
    try {
      // Before the claim: emails claimed without their content would be in doubt.
      const [slots, stored] = await Promise.all([
        this.#reserve(isSlow ? slowEmails : emailsPerClaim),
        this.#stored,
      ]);
      if (slots.granted === 0) {
        release();
        await this.#wait(slots.retryInMs);
        return true;
      }
      if (!isSlow && slots.inMs(slots.granted - 1) > pacedMs) release();
      const claim = this.#newClaim(stored, slots.inMs);
      const claimed = await this.#claim(slots.granted, claim.token);
      if (claimed.length === 0) return false;
      handingOver = this.#handOver(claim, claimed).finally(release);
    } finally {
      if (handingOver === undefined) release();
    }
    await this.#keep(handingOver);
    return true;
  }

  /** @returns the place of a claim; undefined if this run is to come back for it */
  async #takePlace(): Promise<{ release: () => void; isSlow: boolean } | undefined> {
    const { claims, slowClaims, turns } = this.#context;
    const { projectId } = this.#batch;
    const waiting = () => slowClaims.waiting(projectId);
    // Among many slow projects, one may be forgotten before its turn comes.
    const isSlow = () => turns.isSlow(projectId) || waiting() > 0;
    if (!isSlow()) {
      const release = await claims.acquire(projectId);
      if (!isSlow()) return { release, isSlow: false };
      release();
    }
    if (waiting() < slowRunsWaiting && slowClaims.waiting() < slowRunsWaitingInAll) {
      return { release: await slowClaims.acquire(projectId), isSlow: true };
    }
    this.retryInMs = Math.max(this.retryInMs, crowdedRetryMs());
    return undefined;
  }

  async #reserve(mostEmails: number): Promise<CampaignSlots> {
    const { em, rates } = this.#context;
    const { projectId } = this.#batch;
    const wanted = Math.min(this.#left, mostEmails);
    return reserveCampaignSlots(em.fork(), projectId, wanted, await rates());
  }

  async #wait(ms: number): Promise<void> {
    if (ms > longestWaitMs) this.retryInMs = Math.max(this.retryInMs, ms);
    else await pause(ms, this.#signal);
  }

  #newClaim(stored: StoredContent | undefined, inMs: CampaignSlots['inMs']): CampaignClaim {
    const { count, watch } = this.#context;
    return {
      token: newId(),
      lease: beginLease(this.#signal),
      outcomes: new ClaimOutcomes(count),
      storedOf: () => stored,
      maySend: () => watch.isSending(this.#batch.campaignId),
      inMs,
    };
  }

  async #claim(limit: number, token: string): Promise<ClaimedEmail[]> {
    const { campaignId, lastEmailId } = this.#batch;
    const rest = { campaignId, firstEmailId: this.#firstEmailId, lastEmailId };
    const startedAt = performance.now();
    const { em, begin, watch } = this.#context;
    const claimed = await claimCampaignEmails(em.fork(), rest, limit, token, begin !== undefined);
    this.#left -= claimed.length;
    if (claimed.length > 0) watch.noteClaim(campaignId, startedAt);
    this.#firstEmailId = claimed.at(-1)?.id ?? this.#firstEmailId;
    return claimed;
  }

  async #keep(handingOver: Promise<void>): Promise<void> {
    this.#underWay.add(handingOver);
    handingOver.then(
      () => this.#underWay.delete(handingOver),
      () => undefined,
    );
    if (this.#underWay.size >= claimsAtOnce) await Promise.race(this.#underWay);
  }

  async #handOver(claim: CampaignClaim, claimed: readonly ClaimedEmail[]): Promise<void> {
    const { token, outcomes } = claim;
    const { recorded } = this.#context;
    const handingOver = handOverCampaignEmails(this.#context, claim, claimed);
    await recordOutcomes(this.#context, token, outcomes, handingOver, recorded);
    this.sent += outcomes.records.filter(({ status }) => status === 'SENT').length;
    this.retryInMs = Math.max(this.retryInMs, ...outcomes.retryInMs.values());
    const isOpen = ({ status }: HandOverRecord) => status === 'QUEUED' || status === 'UNKNOWN';
    this.reason = outcomes.records.find(isOpen)?.reason ?? this.reason;
  }
}

async function loadStored(em: Em, contentId: string | null): Promise<StoredContent | undefined> {
  if (contentId === null) return undefined;
  return (await loadContents(em.fork(), [contentId])).get(contentId);
}
