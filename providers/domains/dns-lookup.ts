import { Resolver } from 'node:dns/promises';
import type { DnsRecord } from './domain-identities.ts';

/** Whether DNS answers a record. Look-ups that fail or time out count as not found. */
export type RecordLookup = (record: DnsRecord) => Promise<boolean>;

const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '');
const withoutSpaces = (text: string) => text.replace(/\s+/g, '').toLowerCase();

/**
 * @param servers `host[:port]` of the DNS servers to ask; empty: those of the system
 */
export function createRecordLookup(servers: readonly string[]): RecordLookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);

  async function isAnswered(record: DnsRecord): Promise<boolean> {
    switch (record.type) {
      case 'CNAME':
        return (await resolver.resolveCname(record.name)).some(
          (name) => withoutDot(name) === withoutDot(record.value),
        );
      case 'MX':
        return (await resolver.resolveMx(record.name)).some(
          (answer) => withoutDot(answer.exchange) === withoutDot(record.value),
        );
      case 'TXT': {
        const texts = (await resolver.resolveTxt(record.name)).map((chunks) => chunks.join(''));
        // Any DMARC policy of the owner's will do; ours is a suggestion.
        if (record.purpose === 'DMARC') return texts.some((text) => /^v=dmarc1\s*;/i.test(text));
        return texts.some((text) => withoutSpaces(text) === withoutSpaces(record.value));
      }
    }
  }

  return (record) => isAnswered(record).catch(() => false);
}
