import type { Resolver } from 'node:dns/promises';
import { storableLine } from '../../core/inbound/storable-text.ts';
import { createDnsAsker } from '../dns-asker.ts';
import { type DnsRecord, misplacements, recordKey } from './domain-identities.ts';

/**
 * `missing`: the name has no record of this type. `others`: those that it has instead. `unanswered`: DNS was silent or
 * failed, so the state of the record is unknown.
 */
export type Sighting = 'found' | 'missing' | 'unanswered' | { others: string[] };

/**
 * Looks up all records in parallel, within 2.5 seconds. Results in the order of `records`.
 *
 * @param areMisplaced the records are those of `misplacements`
 */
export type RecordLookup = (records: readonly DnsRecord[], areMisplaced?: boolean) => Promise<Sighting[]>;

/** Others may put thousands of records at a name, of up to 64 kB each. */
const mostOthers = 5;
const longestOther = 255;

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

function sightingOf(isFound: boolean, values: readonly string[]): Sighting {
  if (isFound) return 'found';
  const lines = values.map((value) => storableLine(value, longestOther));
  return { others: [...new Set(lines)].slice(0, mostOthers) };
}

async function ask(resolver: Resolver, record: DnsRecord): Promise<Sighting> {
  switch (record.type) {
    case 'CNAME': {
      const names = await resolver.resolveCname(record.name);
      const isFound = names.some((name) => withoutDot(name) === withoutDot(record.value));
      return sightingOf(isFound, names);
    }
    case 'MX': {
      const hosts = await resolver.resolveMx(record.name);
      const wanted = hosts.filter(({ exchange }) => withoutDot(exchange) === withoutDot(record.value));
      const values = hosts.map(({ priority, exchange }) => `${priority} ${exchange}`);
      if (record.purpose !== 'INBOUND') {
        // SES accepts a MAIL FROM host with exactly one MX record only.
        return sightingOf(hosts.length === 1 && wanted.length === 1, values);
      }
      // Senders try the lowest preference first.
      const lowest = Math.min(...hosts.map(({ priority }) => priority));
      return sightingOf(
        wanted.some(({ priority }) => priority === lowest),
        values,
      );
    }
    case 'TXT': {
      const texts = (await resolver.resolveTxt(record.name)).map((chunks) => chunks.join(''));
      return sightingOf(
        texts.some((text) => isWantedText(record, text)),
        texts,
      );
    }
  }
}

async function look(resolver: Resolver, record: DnsRecord): Promise<Sighting> {
  try {
    return await ask(resolver, record);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'unanswered';
  }
}

/** The values that records have instead of the wanted ones, by `recordKey`. */
export const othersOf = (records: readonly DnsRecord[], sightings: readonly Sighting[]) =>
  Object.fromEntries(
    records.flatMap((record, index) => {
      const sighting = sightings[index];
      return typeof sighting === 'object' ? [[recordKey(record), sighting.others]] : [];
    }),
  );

/** Keys of the records that DNS has in a wrong place. Asks only for records whose own place was answered without them. */
export async function findMisplaced(
  lookup: RecordLookup,
  domain: string,
  records: readonly DnsRecord[],
  sightings: readonly Sighting[],
): Promise<string[]> {
  const isAbsent = (sighting?: Sighting) => sighting === 'missing' || typeof sighting === 'object';
  const places = records
    .filter((_, index) => isAbsent(sightings[index]))
    .flatMap((record) => misplacements(record, domain));
  const seen = await lookup(places, true);
  return places.filter((_, index) => seen[index] === 'found').map(recordKey);
}

/**
 * @param servers IP addresses of DNS servers, `host[:port]`; empty: the system's
 * @throws TypeError for an invalid address
 */
export function createRecordLookup(servers: readonly string[]): RecordLookup {
  const askDns = createDnsAsker(servers);
  return (records) => askDns((resolver) => Promise.all(records.map((record) => look(resolver, record))));
}
