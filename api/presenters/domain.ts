import { z } from 'zod';
import type { DomainRow } from '../../db/entities/domain.ts';
import { type DnsRecord, recordKey } from '../../providers/domains/domain-identities.ts';

export const domainSchema = z
  .object({
    id: z.uuid(),
    domain: z.string(),
    status: z.enum(['pending', 'verified']),
    verified: z.boolean(),
    dkimTokens: z.array(z.string()),
    records: z.array(
      z.object({
        type: z.enum(['CNAME', 'TXT', 'MX']),
        name: z.string(),
        value: z.string(),
        priority: z.number().int().optional(),
        purpose: z
          .enum(['DKIM', 'MAIL_FROM', 'SPF', 'DMARC', 'OWNERSHIP', 'INBOUND'])
          .describe('INBOUND is optional: it leads the email of the domain here.'),
        found: z.boolean().describe('Whether the last check saw the record.'),
      }),
    ),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Domain' });

export type DomainAnswer = z.output<typeof domainSchema>;

export function presentDomain(row: DomainRow, records: readonly DnsRecord[]): DomainAnswer {
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
