import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { matchesDomain } from './registrable-domain.ts';

const disposableDomains: ReadonlySet<string> = disposableEmailBlocklistSet();

export function isDisposableDomain(domain: string): boolean {
  return matchesDomain(domain, disposableDomains);
}
