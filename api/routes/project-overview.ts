import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { projectSecuritySchema, suspensionSchema } from '../schemas/project-security.ts';

export const projectSetupState = defineRoute('GET /projects/:id/setup-state', {
  auth: 'user',
  summary: 'Set-up progress of a project',
  responses: ok(
    'A flag per step.',
    z.object({
      hasVerifiedDomain: z.boolean(),
      hasSentEmail: z.boolean(),
      hasContacts: z.boolean(),
      hasTrackedEvent: z.boolean(),
      hasCampaign: z.boolean(),
      hasWorkflow: z.boolean(),
    }),
  ),
  errors: ['NOT_FOUND'],
  async handler(ctx, { user, params }) {
    ctx.body = await ctx.services.projects.setupState(user.id, params.id);
  },
});

const securityRoute = (path: '/projects/:id/security' | '/users/@me/projects/:id/security') =>
  defineRoute(`GET ${path}`, {
    auth: 'user',
    summary: 'Bounce and complaint rates, and suspensions',
    description:
      'Rates of the last seven days and of all time, with their levels. A project with a critical level is ' +
      'disabled automatically, unless the operator has turned that off. Emails to simulator addresses are ' +
      'not counted.',
    responses: ok('The state.', projectSecuritySchema),
    errors: ['NOT_FOUND'],
    async handler(ctx, { user, params }) {
      const { suspensions, ...state } = await ctx.services.projectSecurity.read(user.id, params.id);
      ctx.body = { ...state, suspensions: suspensions.map((one) => present(suspensionSchema, one)) };
    },
  });

export const projectSecurity = securityRoute('/projects/:id/security');
export const ownProjectSecurity = securityRoute('/users/@me/projects/:id/security');
