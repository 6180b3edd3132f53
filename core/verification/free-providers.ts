import freeProviders from 'email-providers/all.json' with { type: 'json' };
import { isDisposableDomain } from './disposable-domains.ts';
import { isWellKnownProvider } from './well-known-providers.ts';

// The list was gathered from real addresses; these occur in examples (RFC 2606) and in carelessly filled forms.
const nobodysDomains = new Set(['example.com', 'example.net', 'example.org', 'test.com', 'yourdomain.com']);
const free: ReadonlySet<string> = new Set(freeProviders.filter((domain) => !nobodysDomains.has(domain)));

export function isFreeProvider(domain: string): boolean {
  return isWellKnownProvider(domain) || (free.has(domain) && !isDisposableDomain(domain));
}
