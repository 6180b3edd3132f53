import type { Domain } from '../../db/entities/domain.ts';
import { type DnsRecord, recordKey } from '../../providers/domains/domain-identities.ts';
import type { DomainAnswer } from '../schemas/answers/domain.ts';

export function presentDomain(row: Domain, records: readonly DnsRecord[]): DomainAnswer {
  const found = new Set(row.foundRecords);
  return {
    id: row.id,
    domain: row.domain,
    status: row.status,
    verified: row.status === 'verified',
    dkimTokens: row.dkimTokens,
    records: records.map((record) => ({ ...record, found: found.has(recordKey(record)) })),
    projectId: row.projectId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
