import { continueAsNew, proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type {
  DomainVerificationActivities,
  DomainVerificationInput,
} from '../contracts/domain-verification.ts';
import { isHistoryLong } from './history-limits.ts';

const { checkDomain } = proxyActivities<DomainVerificationActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

const pendingIntervalMs = 5 * 60 * 1000;
/** SES answers one such call a second for the whole account. Spread, so that checks don't stay together after an outage. */
const verifiedIntervalMs = () => (4 + 4 * Math.random()) * 60 * 60 * 1000;
/** Checks of a pending domain for about a day, well below the history limit of 51,200 events. */
const checksPerRun = 288;

/**
 * Watches a sender domain until it is removed: every five minutes while pending, then about every six hours, so that
 * a domain whose records vanish becomes pending again.
 */
export async function domainVerification(input: DomainVerificationInput): Promise<void> {
  for (let checks = 1; ; checks += 1) {
    const outcome = await checkDomain(input);
    if (outcome === 'gone') {
      setCurrentDetails('The domain was removed.');
      return;
    }
    setCurrentDetails(`The domain is **${outcome}** (check ${checks} of this run).`);
    await sleep(outcome === 'verified' ? verifiedIntervalMs() : pendingIntervalMs);
    if (checks >= checksPerRun || isHistoryLong()) await continueAsNew<typeof domainVerification>(input);
  }
}
