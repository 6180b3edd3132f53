import { z } from 'zod';
import { parseDomainName } from '../../core/addresses/email-address.ts';
import { domainStatuses } from '../../core/domains.ts';
import { reportIssue } from '../../core/zod-issues.ts';

const domainNameSchema = z
  .string()
  .meta({ description: 'A domain that you own, such as `example.com`.', example: 'example.com' })
  .transform((input, context) => {
    const domain = parseDomainName(input.trim());
    if (domain !== undefined) return domain;
    reportIssue(context, 'Expected a domain name', 'invalid_string');
    return z.NEVER;
  });

export const addDomainBodySchema = z.object({ domain: domainNameSchema });

const recordTypeSchema = z.enum(['CNAME', 'TXT', 'MX']);

export const domainSchema = z
  .object({
    id: z.uuid(),
    domain: z.string(),
    status: z.enum(domainStatuses),
    verified: z.boolean(),
    dkimTokens: z.array(z.string()),
    records: z.array(
      z.object({
        type: recordTypeSchema,
        name: z.string(),
        value: z.string(),
        priority: z.number().int().optional(),
        purpose: z
          .enum(['DKIM', 'MAIL_FROM', 'SPF', 'DMARC', 'OWNERSHIP', 'INBOUND'])
          .describe("INBOUND is optional: it routes the domain's incoming email here."),
        found: z.boolean().describe('Whether the last check found the record.'),
        others: z
          .array(z.string())
          .describe(
            'What DNS had at this name instead, at most 5 values, each cut to 255 characters; of an MX record with its priority.',
          ),
        misplaced: z
          .object({ type: recordTypeSchema, name: z.string() })
          .nullable()
          .describe('Where DNS has the record by mistake, such as at a name that contains the domain twice.'),
      }),
    ),
    checkedAt: z.iso.datetime().nullable().describe('The last check; null until the first has ended.'),
    projectId: z.uuid(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Domain' });

export const domainListSchema = z.object({ data: z.array(domainSchema) });
