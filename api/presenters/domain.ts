import type { Domain } from '../../db/entities/domain.ts';
import { type DnsRecord, recordKey } from '../../providers/domains/domain-identities.ts';
import { domainSchema } from '../schemas/answers/domain.ts';
import { present } from './present.ts';

export function presentDomain(domain: Domain, records: readonly DnsRecord[]) {
  const found = new Set(domain.foundRecords);
  return present(domainSchema, {
    ...domain,
    verified: domain.status === 'verified',
    records: records.map((record) => ({ ...record, found: found.has(recordKey(record)) })),
  });
}
