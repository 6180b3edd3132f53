import { LRUCache } from 'lru-cache';
import type { DomainVerificationOutcome } from '../../contracts/domain-verification.ts';
import { comeBackLater } from '../come-back-later.ts';

/** While SES is silent, each check holds an activity slot for 20 seconds, and imports and others need slots too. */
const checksAtOnce = 8;
/** For domains whose last check was slow, such as those of a project whose name servers do not answer. */
const slowAtOnce = 4;
const slowMs = 1_500;
/** Twice the usual interval of the checks of a verified domain. */
const rememberedMs = 12 * 60 * 60 * 1000;
const [shortestDelayMs, longestDelayMs] = [5_000, 60_000];

type Check = (domainId: string) => Promise<DomainVerificationOutcome>;

/**
 * Limits the checks of this process at a time; slow ones leave places to others. One too many does not wait in its slot:
 * Temporal retries it later.
 */
export function limitChecks(check: Check, now: () => number = () => performance.now()): Check {
  const slow = new LRUCache<string, true>({ max: 10_000, ttl: rememberedMs });
  let running = 0;
  let runningSlow = 0;
  return async (domainId) => {
    const wasSlow = slow.has(domainId);
    if (running >= checksAtOnce || (wasSlow && runningSlow >= slowAtOnce)) {
      throw comeBackLater('Other domains are being checked', shortestDelayMs, longestDelayMs);
    }
    running += 1;
    if (wasSlow) runningSlow += 1;
    const startedAt = now();
    try {
      return await check(domainId);
    } finally {
      running -= 1;
      if (wasSlow) runningSlow -= 1;
      if (now() - startedAt >= slowMs) slow.set(domainId, true);
      else slow.delete(domainId);
    }
  };
}
