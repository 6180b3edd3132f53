import { createHmac } from 'node:crypto';
import type { AddedDomain, DnsRecord } from './domain-identities.ts';

/**
 * The TXT record that proves a domain for the one project that added it. Left in DNS, it proves nothing for
 * another project, nor for the same project when it adds the domain again.
 *
 * @param key secret from which the text is derived
 */
export function ownershipRecord(key: Buffer, { id, domain }: AddedDomain): DnsRecord {
  const proof = createHmac('sha256', key).update(`${id} ${domain}`).digest('base64url').slice(0, 32);
  const value = `posthaste-verification=${proof}`;
  return { type: 'TXT', name: `_posthaste.${domain}`, value, purpose: 'OWNERSHIP' };
}
