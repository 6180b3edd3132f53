import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { matchesDomain } from './registrable-domain.ts';

const disposableDomains: ReadonlySet<string> = disposableEmailBlocklistSet();

/** Whether a normalised domain, or one above it, hands out throw-away mailboxes. */
export function isDisposableDomain(domain: string): boolean {
  return matchesDomain(domain, disposableDomains);
}
