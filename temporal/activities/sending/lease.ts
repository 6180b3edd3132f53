import { claimLeaseSeconds } from '../../../core/claim-times.ts';
import type { Stop } from '../../../providers/email/email-provider.ts';

/** Ends when the hand-overs of a claim may no longer begin. */
export interface Lease extends Stop {
  /** For waits. */
  readonly signal: AbortSignal;
  ageMs(): number;
}

/**
 * Begin it before the claim. A process that was frozen, for example in a paused virtual machine, continues its next
 * step before it runs its timers, while others already consider its claim dead. That is why `aborted` also reads the
 * clock.
 *
 * @param stopped ends it early
 */
export function beginLease(stopped: AbortSignal): Lease {
  const begunAt = Date.now();
  const endsAt = begunAt + claimLeaseSeconds * 1000;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(claimLeaseSeconds * 1000)]);
  return {
    signal,
    get aborted() {
      return signal.aborted || Date.now() > endsAt;
    },
    ageMs: () => Date.now() - begunAt,
  };
}
