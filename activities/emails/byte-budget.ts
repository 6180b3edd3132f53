import { createCallSlots } from '../campaigns/call-slots.ts';
import type { Lot } from './plan-lots.ts';

/** Bounds what the hand-overs of this process have in memory, from before they load until they are recorded. */
export interface ByteBudget {
  /** Waits for the bytes of a lot. Where too many wait already it answers at once when to come again. */
  take(
    owner: string,
    lot: Pick<Lot, 'bytes' | 'isLarge'>,
  ): Promise<{ giveBack: () => void } | { retryInMs: number }>;
}

const mega = 1024 * 1024;
/**
 * In the measure of `Lot.bytes`. Of a large email twice as much is in memory: the file as Postgres sends it and as bytes, and the
 * request of the SES client, which encodes it straight into a buffer of its own.
 */
const defaults = { small: 32 * mega, large: 40 * mega };
/** A lot that waits holds one of the slots for activities, which others need. */
const mostWaiting = { perOwner: 2, all: 12 };
/** About what is handed over in a second, for those who have to come again. */
const bytesPerSecond = 40 * mega;
const leastRetryMs = 1_000;

/** Small emails have a part of their own, so that they never wait for large ones. */
export function createByteBudget(bytes: { small: number; large: number } = defaults): ByteBudget {
  const small = createCallSlots(bytes.small);
  const large = createCallSlots(bytes.large);
  let lastPlaceAt = 0;
  return {
    async take(owner, lot) {
      if (!lot.isLarge) return { giveBack: await small.take(owner, lot.bytes) };
      if (large.waiting(owner) < mostWaiting.perOwner && large.waiting() < mostWaiting.all) {
        return { giveBack: await large.take(owner, lot.bytes) };
      }
      const now = Date.now();
      lastPlaceAt = Math.max(lastPlaceAt, now + leastRetryMs) + (lot.bytes / bytesPerSecond) * 1000;
      return { retryInMs: lastPlaceAt - now };
    },
  };
}
