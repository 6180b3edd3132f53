import { createHmac } from 'node:crypto';
import type { RecordLookup } from './dns-lookup.ts';
import { type DnsRecord, type DomainIdentities, recordKey } from './domain-identities.ts';

/**
 * Sender domains without a provider that keeps identities (SMTP): the owner proves the domain by a TXT record.
 * DKIM and SPF are then a matter of the SMTP server.
 *
 * @param key secret from which the text of the record is derived
 */
export function createDnsIdentities(key: Buffer, lookup: RecordLookup): DomainIdentities {
  const records = (domain: string): DnsRecord[] => {
    const proof = createHmac('sha256', key).update(domain).digest('base64url').slice(0, 32);
    return [
      {
        type: 'TXT',
        name: `_posthaste.${domain}`,
        value: `posthaste-verification=${proof}`,
        purpose: 'OWNERSHIP',
      },
      { type: 'TXT', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none;', purpose: 'DMARC' },
    ];
  };
  return {
    register: async () => ({ dkimTokens: [] }),
    wantedRecords: records,
    async check(domain) {
      const wanted = records(domain);
      const seen = await Promise.all(wanted.map(lookup));
      const found = wanted.filter((_, index) => seen[index]);
      return {
        verified: found.some((record) => record.purpose === 'OWNERSHIP'),
        found: found.map(recordKey),
      };
    },
    remove: async () => undefined,
  };
}
