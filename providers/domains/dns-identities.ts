import type { RecordLookup } from './dns-lookup.ts';
import { type AddedDomain, type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';
import { ownershipRecord } from './ownership-record.ts';

/**
 * Sender domains without a provider that keeps identities (SMTP): the owner proves the domain by a TXT record.
 * DKIM and SPF are then a matter of the SMTP server.
 *
 * @param key as of `ownershipRecord`
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
      // A DNS that fails for a moment must not stop a verified domain from sending.
      if (proof === 'unanswered') throw new Error(`DNS did not answer for _posthaste.${domain.domain}`);
      const found = records.filter((_, index) => sightings[index] === 'found').map(recordKey);
      return { verified: proof === 'found', found, dkimTokens: [] };
    },
    remove: async () => undefined,
  };
}
