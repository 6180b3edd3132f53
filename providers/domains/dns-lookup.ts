import type { Resolver } from 'node:dns/promises';
import { createDnsAsker } from '../dns-asker.ts';
import type { DnsRecord } from './domain-identities.ts';

/** `unanswered`: DNS was silent or failed, so the state of the record is unknown. */
export type Sighting = 'found' | 'missing' | 'unanswered';

/** Looks up all records in parallel, within 2.5 seconds. Results in the order of `records`. */
export type RecordLookup = (records: readonly DnsRecord[]) => Promise<Sighting[]>;

const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '');

// Owners may word DMARC and SPF differently, as long as the record serves its purpose.
function isWantedText(record: DnsRecord, text: string): boolean {
  switch (record.purpose) {
    case 'DMARC':
      return /^v=dmarc1\s*(;|$)/i.test(text);
    case 'SPF':
      return /^v=spf1\s(.*\s)?\+?include:amazonses\.com(\s|$)/i.test(text);
    default:
      return text.trim() === record.value;
  }
}

async function isAnswered(resolver: Resolver, record: DnsRecord): Promise<boolean> {
  switch (record.type) {
    case 'CNAME': {
      const names = await resolver.resolveCname(record.name);
      return names.some((name) => withoutDot(name) === withoutDot(record.value));
    }
    case 'MX': {
      const hosts = await resolver.resolveMx(record.name);
      const wanted = hosts.filter(({ exchange }) => withoutDot(exchange) === withoutDot(record.value));
      if (record.purpose !== 'INBOUND') {
        // SES accepts a MAIL FROM host with exactly one MX record only.
        return hosts.length === 1 && wanted.length === 1;
      }
      // Senders try the lowest preference first.
      const lowest = Math.min(...hosts.map(({ priority }) => priority));
      return wanted.some(({ priority }) => priority === lowest);
    }
    case 'TXT': {
      const texts = await resolver.resolveTxt(record.name);
      return texts.some((chunks) => isWantedText(record, chunks.join('')));
    }
  }
}

async function look(resolver: Resolver, record: DnsRecord): Promise<Sighting> {
  try {
    return (await isAnswered(resolver, record)) ? 'found' : 'missing';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'unanswered';
  }
}

/**
 * @param servers IP addresses of DNS servers, `host[:port]`; empty: the system's
 * @throws TypeError for an invalid address
 */
export function createRecordLookup(servers: readonly string[]): RecordLookup {
  const askDns = createDnsAsker(servers);
  return (records) => askDns((resolver) => Promise.all(records.map((record) => look(resolver, record))));
}
