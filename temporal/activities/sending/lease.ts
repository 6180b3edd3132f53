import { claimLeaseSeconds } from '../../../core/claim-times.ts';
import type { Stop } from '../../../providers/email/email-provider.ts';

/** Over when the hand-overs of a claim may begin no more. */
export interface Lease extends Stop {
  /** For waits. */
  readonly signal: AbortSignal;
}

/**
 * Begin it before the claim. A process that stood still, as in a virtual machine that is paused, goes on with what it was about
 * to do before it runs its timers, while others take its claim for dead: hence the look at the clock.
 *
 * @param stopped ends it early
 */
export function beginLease(stopped: AbortSignal): Lease {
  const endsAt = Date.now() + claimLeaseSeconds * 1000;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(claimLeaseSeconds * 1000)]);
  return {
    signal,
    get aborted() {
      return signal.aborted || Date.now() > endsAt;
    },
  };
}
