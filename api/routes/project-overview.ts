import { z } from 'zod';
import { securityLevels } from '../../core/project-security.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';

const count = z.int().min(0);

const level = z.enum(securityLevels);

const figuresSchema = z.object({
  sent: count.describe('Emails handed over, without those to simulator addresses.'),
  bounced: count.describe('Number of hard bounces.'),
  complained: count,
  bounceRate: z.number().describe('Percent of the emails sent.'),
  complaintRate: z.number().describe('Percent of the emails sent.'),
  bounceLevel: level.describe('Warning from 5 %, critical from 10 %, once 100 emails were sent.'),
  complaintLevel: level.describe('Warning from 0.1 %, critical from 0.15 %, once 100 emails were sent.'),
  level: level.describe('The worse of the two.'),
});

const suspensionSchema = z.object({
  id: z.uuid(),
  reason: z.string(),
  sent: count.describe('In the seven days before.'),
  bounced: count,
  complained: count,
  createdAt: z.iso.datetime(),
});

const projectSecuritySchema = z
  .object({
    level: level.describe('Level of the last seven days.'),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    autoDisable: z.boolean().describe('Whether the level `critical` disables the project automatically.'),
    sevenDays: figuresSchema.describe('Today and the six days before, by UTC.'),
    allTime: figuresSchema,
    suspensions: z
      .array(suspensionSchema)
      .describe('Automatic suspensions of the project, newest first; the latest 20.'),
  })
  .meta({ id: 'ProjectSecurity' });

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
