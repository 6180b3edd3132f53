import { z } from 'zod';
import { parseDomainName } from '../../core/addresses/email-address.ts';
import { notFound } from '../../core/errors.ts';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { domainSchema } from '../presenters/domain.ts';

const tags = ['Domains'];
const idParams = z.object({ id: idSchema });

const domainNameSchema = z
  .string()
  .meta({ description: 'A domain that you own, such as `example.com`.', example: 'example.com' })
  .transform((input, context) => {
    const domain = parseDomainName(input.trim());
    if (domain !== undefined) return domain;
    context.issues.push({
      code: 'custom',
      message: 'Expected a domain name',
      params: { code: 'invalid_string' },
      input,
    });
    return z.NEVER;
  });

export const listProjectDomains = defineRoute({
  method: 'GET',
  path: '/domains/project/:projectId',
  auth: 'secretKey',
  tags,
  summary: 'List the sender domains of the project',
  params: z.object({ projectId: idSchema }),
  responses: {
    200: { description: 'Verified and pending domains.', schema: z.object({ data: z.array(domainSchema) }) },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params, services }) {
    if (params.projectId !== project.id) throw notFound('Project');
    return { status: 200, body: { data: await services.domains.list(project.id) } };
  },
});

export const addDomain = defineRoute({
  method: 'POST',
  path: '/domains',
  auth: 'secretKey',
  tags,
  summary: 'Add a sender domain',
  description:
    'Answers the DNS records to create, among them a TXT record that proves the domain for this project. It is checked ' +
    'right away and then every five minutes until it is verified. Several projects may add a domain: the one that ' +
    'proves it has it. What is not proven within seven days is removed.',
  body: z.object({ domain: domainNameSchema }),
  bodyExample: { domain: 'example.com' },
  responses: { 201: { description: 'Added, pending.', schema: domainSchema } },
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  handler: async ({ project, body, services }) => ({
    status: 201,
    body: await services.domains.add(project.id, body.domain),
  }),
});

export const verifyDomain = defineRoute({
  method: 'GET',
  path: '/domains/:id/verify',
  auth: 'secretKey',
  tags,
  summary: 'Check a sender domain now',
  params: idParams,
  responses: { 200: { description: 'The domain after the check.', schema: domainSchema } },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  handler: async ({ project, params, services }) => ({
    status: 200,
    body: await services.domains.verify(project.id, params.id),
  }),
});

export const deleteDomain = defineRoute({
  method: 'DELETE',
  path: '/domains/:id',
  auth: 'secretKey',
  tags,
  summary: 'Remove a sender domain',
  params: idParams,
  responses: { 204: { description: 'Removed.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ project, params, services }) {
    await services.domains.remove(project.id, params.id);
    return { status: 204 };
  },
});
