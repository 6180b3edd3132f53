import { notFound } from '../../core/errors.ts';
import type { Domain } from '../../db/entities/domain.ts';
import { misplacements, recordKey } from '../../providers/domains/domain-identities.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { addDomainBodySchema, domainListSchema, domainSchema } from '../schemas/domains.ts';
import type { DomainsService } from '../services/domains.ts';

function presentDomain(domains: DomainsService, domain: Domain) {
  const found = new Set(domain.foundRecords);
  return present(domainSchema, {
    ...domain,
    verified: domain.status === 'verified',
    records: domains.recordsOf(domain).map((record) => {
      const key = recordKey(record);
      const isFound = found.has(key);
      const place = misplacements(record, domain.domain).find((each) => found.has(recordKey(each)));
      return {
        ...record,
        found: isFound,
        others: isFound ? [] : (domain.otherValues[key] ?? []),
        misplaced: place === undefined ? null : { type: place.type, name: place.name },
      };
    }),
  });
}

export const listProjectDomains = defineRoute('GET /domains/project/:projectId', {
  summary: 'List the sender domains of the project',
  responses: ok('Verified and pending domains.', domainListSchema),
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
  body: addDomainBodySchema,
  bodyExample: { domain: 'example.com' },
  idempotent: 'byPath',
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
