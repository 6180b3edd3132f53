import type { Em } from '../../../db/orm.ts';
import { countSendingProjects } from '../../../db/statements/campaigns/count-sending-projects.ts';
import {
  returnSendSlots,
  type SendSlots,
  sendBuckets,
  takeSendSlots,
} from '../../../db/statements/emails/send-slots.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';

export type CampaignSlots = Pick<SlotReservation, 'granted' | 'inMs' | 'retryInMs'>;

/**
 * Share of the rate that campaigns may use; the rest is reserved for transactional email. Together with the short
 * horizon, it keeps campaigns from booking the bucket seconds ahead.
 */
const shareOfCampaigns = 0.9;
const horizonSeconds = 1;

/** Minimum pause before a project that exceeds its share of the account asks for unused slots again. */
const leftOverPauseMs = 250;

/**
 * Reserves send slots for up to `wanted` emails of a campaign, first from its project's rate, then from the account's.
 * Projects that send at the same time get equal shares of the account, however many batches each runs; unused slots go
 * to the others.
 *
 * Transactional email reserves its slots in the database function `reserve_email_slots`: many projects in one call,
 * older emails first, up to the whole rate.
 */
export async function reserveCampaignSlots(
  em: Em,
  projectId: string,
  wanted: number,
  rates: SendRates,
): Promise<CampaignSlots> {
  const reservation = new SlotReservation(em, wanted);
  if (rates.project !== null) {
    await reservation.take(sendBuckets.campaignsOfProject(projectId), rates.project * shareOfCampaigns);
    await reservation.take(sendBuckets.project(projectId), rates.project);
  }
  if (rates.account !== null && reservation.granted > 0) {
    const rate = rates.account * shareOfCampaigns;
    const projects = await countSendingProjects(em);
    if (projects > 1) await reservation.takeShare(projectId, rate, projects);
    else await reservation.take(sendBuckets.campaignsOfAccount, rate);
    await reservation.take(sendBuckets.account, rates.account);
  }
  return reservation;
}

class SlotReservation {
  readonly #em: Em;
  readonly #paces: { startInMs: number; rate: number }[] = [];
  granted: number;
  retryInMs = 0;
  /** Delay from the grant until the n-th email may leave. */
  readonly inMs = (index: number): number =>
    Math.max(0, ...this.#paces.map(({ startInMs, rate }) => startInMs + (index * 1000) / rate));

  constructor(em: Em, wanted: number) {
    this.#em = em;
    this.granted = wanted;
  }

  async take(bucket: string, rate: number): Promise<void> {
    if (this.granted === 0) return;
    const slots = await this.#slots(bucket, this.granted, rate);
    if (slots.granted < this.granted) this.retryInMs = Math.max(this.retryInMs, slots.retryInMs);
    this.granted = slots.granted;
    this.#paces.push({ startInMs: slots.startInMs, rate });
  }

  /** The project's own share can be booked up to a second ahead; anything beyond it only if it is free right now. */
  async takeShare(projectId: string, rate: number, projects: number): Promise<void> {
    const own = sendBuckets.campaignShare(projectId);
    const ownRate = rate / projects;
    const wanted = this.granted;
    const share = await this.#slots(own, wanted, ownRate);
    const taken = await this.#slots(sendBuckets.campaignsOfAccount, share.granted, rate);
    const isGranted = taken.granted === share.granted;
    if (!isGranted) await returnSendSlots(this.#em, own, share.granted - taken.granted, ownRate);
    this.granted = taken.granted;
    if (isGranted && share.granted < wanted) {
      const left = wanted - share.granted;
      const leftOver = await this.#slots(sendBuckets.campaignsOfAccount, left, rate, 0);
      this.granted += leftOver.granted;
    }
    if (this.granted < wanted) {
      const nextInMs = Math.min(share.retryInMs, taken.retryInMs);
      this.retryInMs = Math.max(this.retryInMs, leftOverPauseMs, nextInMs);
    }
    if (taken.granted > 0) this.#paces.push({ startInMs: taken.startInMs, rate });
  }

  #slots(bucket: string, wanted: number, rate: number, horizon = horizonSeconds): Promise<SendSlots> {
    return takeSendSlots(this.#em, bucket, wanted, rate, horizon);
  }
}
