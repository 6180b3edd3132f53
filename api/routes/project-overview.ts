import { z } from 'zod';
import { defineRoute, ok } from '../edge/define-route.ts';
import { presentProjectSecurity } from '../presenters/project-security.ts';
import { projectSecuritySchema } from '../schemas/answers/project-security.ts';
import { idParams } from '../schemas/id-params.ts';

export const projectSetupState = defineRoute('GET /projects/:id/setup-state', {
  auth: 'user',
  summary: 'Set-up progress of a project',
  params: idParams,
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
  async handler(ctx) {
    const { user, params } = ctx.state;
    ctx.body = await ctx.services.projects.setupState(user.id, params.id);
  },
});

const security = {
  auth: 'user',
  summary: 'Bounce and complaint rates, and suspensions',
  description:
    'Rates of the last seven days and of all time, with their levels. A project with a critical level is ' +
    'disabled automatically, unless the operator has turned that off. Emails to simulator addresses are ' +
    'not counted.',
  params: idParams,
  responses: ok('The state.', projectSecuritySchema),
  errors: ['NOT_FOUND'],
} as const;

export const projectSecurity = defineRoute('GET /projects/:id/security', {
  ...security,
  async handler(ctx) {
    const { user, params } = ctx.state;
    ctx.body = presentProjectSecurity(await ctx.services.projectSecurity.read(user.id, params.id));
  },
});

export const ownProjectSecurity = defineRoute('GET /users/@me/projects/:id/security', {
  ...security,
  async handler(ctx) {
    const { user, params } = ctx.state;
    ctx.body = presentProjectSecurity(await ctx.services.projectSecurity.read(user.id, params.id));
  },
});
