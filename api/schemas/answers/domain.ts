import { z } from 'zod';
import { domainStatuses } from '../../../core/domains.ts';

export const domainSchema = z
  .object({
    id: z.uuid(),
    domain: z.string(),
    status: z.enum(domainStatuses),
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
          .describe("INBOUND is optional: it routes the domain's incoming email here."),
        found: z.boolean().describe('Whether the last check found the record.'),
      }),
    ),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Domain' });
