import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { presentProjectSecurity, projectSecuritySchema } from '../presenters/project-security.ts';

const tags = ['Projects'];
const params = z.object({ id: idSchema });

export const projectSetupState = defineRoute({
  method: 'GET',
  path: '/projects/:id/setup-state',
  auth: 'user',
  tags,
  summary: 'Which first steps a project has taken',
  params,
  responses: {
    200: {
      description: 'A flag per step.',
      schema: z.object({
        hasVerifiedDomain: z.boolean(),
        hasSentEmail: z.boolean(),
        hasContacts: z.boolean(),
        hasTrackedEvent: z.boolean(),
        hasCampaign: z.boolean(),
        hasWorkflow: z.boolean(),
      }),
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ user, params, services }) {
    return { status: 200, body: await services.projects.setupState(user.id, params.id) };
  },
});

const security = {
  method: 'GET',
  auth: 'user',
  tags,
  summary: 'Bounce and complaint rates, and suspensions',
  description:
    'Rates of the last seven days and of all time with their levels. A project whose level is critical is disabled ' +
    'by itself, unless the operator has switched that off. Emails to simulator addresses never count.',
  params,
  responses: { 200: { description: 'The state.', schema: projectSecuritySchema } },
  errors: ['NOT_FOUND'],
} as const;

export const projectSecurity = defineRoute({
  ...security,
  path: '/projects/:id/security',
  async handler({ user, params, services }) {
    return {
      status: 200,
      body: presentProjectSecurity(await services.projectSecurity.read(user.id, params.id)),
    };
  },
});

export const ownProjectSecurity = defineRoute({
  ...security,
  path: '/users/@me/projects/:id/security',
  async handler({ user, params, services }) {
    return {
      status: 200,
      body: presentProjectSecurity(await services.projectSecurity.read(user.id, params.id)),
    };
  },
});
