import { z } from 'zod';
import { parseDomainName } from '../../core/addresses/email-address.ts';
import { domainStatuses } from '../../core/domains.ts';
import { notFound } from '../../core/errors.ts';
import { reportIssue } from '../../core/zod-issues.ts';
import type { Domain } from '../../db/entities/domain.ts';
import { recordKey } from '../../providers/domains/domain-identities.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import type { DomainsService } from '../services/domains.ts';

const domainNameSchema = z
  .string()
  .meta({ description: 'A domain that you own, such as `example.com`.', example: 'example.com' })
  .transform((input, context) => {
    const domain = parseDomainName(input.trim());
    if (domain !== undefined) return domain;
    reportIssue(context, 'Expected a domain name', 'invalid_string');
    return z.NEVER;
  });

const domainSchema = z
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
        priority: z.int().optional(),
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

function presentDomain(domains: DomainsService, domain: Domain) {
  const found = new Set(domain.foundRecords);
  return present(domainSchema, {
    ...domain,
    verified: domain.status === 'verified',
    records: domains.recordsOf(domain).map((record) => ({ ...record, found: found.has(recordKey(record)) })),
  });
}

export const listProjectDomains = defineRoute('GET /domains/project/:projectId', {
  summary: 'List the sender domains of the project',
  responses: ok('Verified and pending domains.', z.object({ data: z.array(domainSchema) })),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    if (params.projectId !== project.id) throw notFound('Project');
    const { domains } = ctx.services;
    ctx.body = { data: (await domains.list(project.id)).map((each) => presentDomain(domains, each)) };
  },
});

export const addDomain = defineRoute('POST /domains', {
  summary: 'Add a sender domain',
  description:
    'Returns the DNS records to create, including a TXT record that proves ownership for this project. The ' +
    'domain is checked immediately and then every five minutes until it is verified. Several projects may ' +
    'add a domain; the first to prove ownership gets it. Unverified domains are removed after seven days.',
  body: z.object({ domain: domainNameSchema }),
  bodyExample: { domain: 'example.com' },
  responses: created('Added, pending.', domainSchema),
  place: 'elsewhere',
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, body }) {
    const { domains } = ctx.services;
    ctx.body = presentDomain(domains, await domains.add(project.id, body.domain));
  },
});

export const verifyDomain = defineRoute('GET /domains/:id/verify', {
  summary: 'Check a sender domain now',
  responses: ok('The domain after the check.', domainSchema),
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, params }) {
    const { domains } = ctx.services;
    ctx.body = presentDomain(domains, await domains.verify(project.id, params.id));
  },
});

export const deleteDomain = defineRoute('DELETE /domains/:id', {
  summary: 'Remove a sender domain',
  responses: { 204: { description: 'Removed.' } },
  place: 'elsewhere',
  errors: ['NOT_FOUND', 'CONFLICT'],
  handler: (ctx, { project, params }) => ctx.services.domains.remove(project.id, params.id),
});
