import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { DomainVerificationOutcome } from '../../contracts/domain-verification.ts';

/** While SES is silent, each check holds an activity slot for 20 seconds, and imports and others need slots too. */
const checksAtOnce = 8;
/** Spread, so that those put off do not come back together. */
const [shortestDelayMs, longestDelayMs] = [5_000, 60_000];

type Check = (domainId: string) => Promise<DomainVerificationOutcome>;

/** Limits the checks of this process at a time. One too many does not wait in its slot: Temporal retries it later. */
export function limitChecks(check: Check): Check {
  let running = 0;
  return async (domainId) => {
    if (running >= checksAtOnce) {
      throw ApplicationFailure.create({
        message: 'Other domains are being checked',
        category: ApplicationFailureCategory.BENIGN,
        nextRetryDelay: Math.round(shortestDelayMs + Math.random() * (longestDelayMs - shortestDelayMs)),
      });
    }
    running += 1;
    try {
      return await check(domainId);
    } finally {
      running -= 1;
    }
  };
}
