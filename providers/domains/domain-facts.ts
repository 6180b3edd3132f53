import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { registrableDomain } from '../../core/verification/registrable-domain.ts';
import type { DomainFacts } from '../../core/verification/verify-address.ts';

/**
 * What DNS says of a normalised domain, within 2.5 seconds whatever DNS does. Undefined when no server answered
 * what had to be known.
 */
export type DomainFactsLookup = (domain: string) => Promise<DomainFacts | undefined>;

const deadlineMs = 2_500;
/** Within the deadline a lost packet is sent again. */
const tryTimeoutMs = 1_000;
const tries = 2;

const cachedDomains = 5_000;
const cachedMs = 5 * 60_000;
/** Of a domain that takes no mail: its owner may be at it right now. */
const cachedAsUselessMs = 30_000;

/** `broken`: the server that was asked could get nothing out of the domain's own servers. */
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
 * Looks domains up, each once however many ask at the same time. What was answered is kept for 5 minutes, of a
 * domain that takes no mail for 30 seconds; that nobody answered is not kept.
 *
 * @param servers `host[:port]` of the DNS servers to ask, by IP address; empty: those of the system
 * @throws TypeError for an address that is none
 */
export function createDomainFacts(servers: readonly string[]): DomainFactsLookup {
  function createResolver(): Resolver {
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  }
  createResolver();

  const cache = new LRUCache<string, DomainFacts>({
    max: cachedDomains,
    ttl: cachedMs,
    ignoreFetchAbort: true,
    async fetchMethod(domain, _stale, { options }) {
      const resolver = createResolver();
      const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
      try {
        const facts = await look(resolver, domain);
        if (facts?.hasMxRecords === false) options.ttl = cachedAsUselessMs;
        return facts;
      } finally {
        clearTimeout(deadline);
      }
    },
  });
  return (domain) => cache.fetch(domain);
}
