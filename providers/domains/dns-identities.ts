import { createHmac } from 'node:crypto';
import type { RecordLookup } from './dns-lookup.ts';
import { type AddedDomain, type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';

/**
 * Sender domains without a provider that keeps identities (SMTP): the owner proves the domain by a TXT record.
 * DKIM and SPF are then a matter of the SMTP server.
 *
 * @param key secret from which the text of the record is derived
 */
export function createDnsIdentities(key: Buffer, lookup: RecordLookup): DomainIdentities {
  function ownership({ id, domain }: AddedDomain): DnsRecord {
    // A record that stayed in DNS proves nothing for another project that adds the domain.
    const proof = createHmac('sha256', key).update(`${id} ${domain}`).digest('base64url').slice(0, 32);
    const value = `posthaste-verification=${proof}`;
    return { type: 'TXT', name: `_posthaste.${domain}`, value, purpose: 'OWNERSHIP' };
  }
  const wantedRecords = (domain: AddedDomain): DnsRecord[] => [
    ownership(domain),
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
      if (proof === 'unanswered') throw new Error(`DNS did not answer for ${ownership(domain).name}`);
      const found = records.filter((_, index) => sightings[index] === 'found').map(recordKey);
      return { verified: proof === 'found', found, dkimTokens: [] };
    },
    remove: async () => undefined,
  };
}
