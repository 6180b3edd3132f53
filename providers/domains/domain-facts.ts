import type { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { registrableDomain } from '../../core/verification/registrable-domain.ts';
import type { DomainFacts } from '../../core/verification/verify-address.ts';
import { createDnsAsker } from '../dns-asker.ts';

/**
 * Facts from DNS about a normalized domain, within 2.5 seconds; undefined when DNS did not answer a necessary question.
 */
export type DomainFactsLookup = (domain: string) => Promise<DomainFacts | undefined>;

const cachedDomains = 5_000;
const cachedMs = 5 * 60_000;
// The owner of a domain without mail servers may be fixing it right now.
const cachedAsUselessMs = 30_000;

// `broken`: SERVFAIL, the resolver got nothing from the domain's own servers.
type Answer<Item> = Item[] | 'broken' | 'unanswered';

async function ask<Item>(question: Promise<Item[]>): Promise<Answer<Item>> {
  try {
    return await question;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    return code === 'ESERVFAIL' ? 'broken' : 'unanswered';
  }
}

const isFound = (answer: Answer<unknown>) => Array.isArray(answer) && answer.length > 0;

async function look(resolver: Resolver, domain: string): Promise<DomainFacts | undefined> {
  const [ns, mx, a, aaaa] = await Promise.all([
    ask(resolver.resolveNs(registrableDomain(domain))),
    ask(resolver.resolveMx(domain)),
    ask(resolver.resolve4(domain)),
    ask(resolver.resolve6(domain)),
  ]);
  const hasWebsite = isFound(a) || isFound(aaaa);
  const isDelegated = isFound(ns) || (!Array.isArray(ns) && (hasWebsite || isFound(mx)));
  const isUndecided =
    mx === 'unanswered' ||
    (!hasWebsite && (a === 'unanswered' || aaaa === 'unanswered')) ||
    (!isDelegated && ns === 'unanswered');
  if (isUndecided) return undefined;
  const servers = mx === 'broken' ? [] : mx.filter(({ exchange }) => exchange !== '' && exchange !== '.');
  return {
    domainExists: isDelegated,
    hasWebsite,
    hasMxRecords: servers.length > 0,
    refusesMail: isFound(mx) && servers.length === 0,
    isBroken: mx === 'broken',
  };
}

/**
 * Concurrent lookups of a domain share one query. Results are cached for 5 minutes, for domains without mail
 * servers 30 seconds; unanswered lookups are not cached.
 *
 * @param servers IP addresses of DNS servers, `host[:port]`; empty: the system's
 * @throws TypeError for an invalid address
 */
export function createDomainFacts(servers: readonly string[]): DomainFactsLookup {
  const askDns = createDnsAsker(servers);
  const cache = new LRUCache<string, DomainFacts>({
    max: cachedDomains,
    ttl: cachedMs,
    ignoreFetchAbort: true,
    async fetchMethod(domain, _stale, { options }) {
      const facts = await askDns((resolver) => look(resolver, domain));
      if (facts?.hasMxRecords === false) options.ttl = cachedAsUselessMs;
      return facts;
    },
  });
  return (domain) => cache.fetch(domain);
}
