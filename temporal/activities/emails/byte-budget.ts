import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { Lot } from './group-by-memory.ts';

export type ByteBudget = ReturnType<typeof createByteBudget>;

const mega = 1024 * 1024;
/**
 * In the units of `Lot.bytes`. A large email occupies about twice that: the file as sent by Postgres and as bytes, and
 * the SES client's request, which is encoded straight into its own buffer.
 */
const defaults = { small: 32 * mega, large: 40 * mega };
/** A waiting lot holds one of the worker's activity slots. */
const mostWaiting = { perOwner: 2, all: 12 };
const bytesPerSecond = 40 * mega;
const leastRetryMs = 1_000;

/** Small emails have their own budget, so they never wait for large ones. */
export function createByteBudget(bytes: { small: number; large: number } = defaults) {
  const small = new FairSemaphore(bytes.small);
  const large = new FairSemaphore(bytes.large);
  let lastPlaceAt = 0;
  return {
    /** Waits for the bytes of a lot. When too many lots are waiting already, returns a retry delay immediately. */
    async take(owner: string, lot: Pick<Lot, 'bytes' | 'isLarge'>) {
      if (!lot.isLarge) return { release: await small.acquire(owner, lot.bytes) };
      if (large.waiting(owner) < mostWaiting.perOwner && large.waiting() < mostWaiting.all) {
        return { release: await large.acquire(owner, lot.bytes) };
      }
      const now = performance.now();
      lastPlaceAt = Math.max(lastPlaceAt, now + leastRetryMs) + (lot.bytes / bytesPerSecond) * 1000;
      return { retryInMs: lastPlaceAt - now };
    },
  };
}
