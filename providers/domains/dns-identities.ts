import { findMisplaced, othersOf, type RecordLookup } from './dns-lookup.ts';
import { type AddedDomain, type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';
import { ownershipRecord } from './ownership-record.ts';

/**
 * Domains for SMTP, where no provider keeps identities: a TXT record proves ownership; DKIM and SPF are up to the
 * SMTP server.
 *
 * @param key key of `ownershipRecord`
 */
export function createDnsIdentities(key: Buffer, lookup: RecordLookup): DomainIdentities {
  const wantedRecords = (domain: AddedDomain): DnsRecord[] => [
    ownershipRecord(key, domain),
    { type: 'TXT', name: `_dmarc.${domain.domain}`, value: 'v=DMARC1; p=none;', purpose: 'DMARC' },
  ];

  return {
    register: async () => ({ dkimTokens: [] }),
    wantedRecords,
    async check(domain) {
      const records = wantedRecords(domain);
      const sightings = await lookup(records);
      const proof = sightings[0];
      // A temporary DNS failure must not stop a verified domain from sending.
      if (proof === 'unanswered' && domain.status !== 'pending') {
        throw new Error(`DNS did not answer for _posthaste.${domain.domain}`);
      }
      const found = records.filter((_, index) => sightings[index] === 'found').map(recordKey);
      found.push(...(await findMisplaced(lookup, domain.domain, records, sightings)));
      return { verified: proof === 'found', found, others: othersOf(records, sightings), dkimTokens: [] };
    },
    remove: async () => undefined,
  };
}
