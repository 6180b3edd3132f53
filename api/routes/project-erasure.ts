import { z } from 'zod';
import type { ProjectErasure } from '../../db/entities/project-security.ts';
import { defineRoute, ok } from '../edge/define-route.ts';

const count = z.int().min(0).default(0);

const deletedSchema = z.object({
  contacts: count,
  emails: count,
  events: count,
  templates: count,
  segments: count,
  campaigns: count,
  workflows: count,
  jobs: count,
});

const projectResetSchema = z
  .object({
    id: z.uuid(),
    status: z.enum(['running', 'completed']),
    deleted: deletedSchema.describe('So far.'),
    startedAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ProjectReset' });

function presentReset(reset: ProjectErasure) {
  return {
    id: reset.id,
    status: reset.isErased() ? ('completed' as const) : ('running' as const),
    deleted: deletedSchema.parse(reset.done),
    startedAt: reset.createdAt.toISOString(),
    completedAt: reset.erasedAt?.toISOString() ?? null,
  };
}

export const deleteProject = defineRoute('DELETE /users/@me/projects/:id', {
  auth: 'user',
  summary: 'Delete a project',
  description: 'Its keys stop working at once; its data is erased in the background. Requires an owner.',
  responses: { 204: { description: 'The project is deleted.' } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  handler: (ctx, { user, params }) => ctx.services.projectErasure.remove(user.id, params.id),
});

export const resetProject = defineRoute('POST /users/@me/projects/:id/reset', {
  auth: 'user',
  summary: 'Erase the data of a project',
  description:
    'Contacts, emails, events, templates, segments, campaigns, workflows, jobs and uploaded images go, ' +
    'and cannot be restored; keys, members, domains and settings stay. Sending stops immediately. A ' +
    'call waits up to 20 seconds for completion; a longer reset continues in the background, and ' +
    '`GET` of the same path returns its progress. One at a time. Requires an owner or admin.',
  body: z.object({ confirm: z.string().describe("The project's name.") }),
  bodyExample: { confirm: 'Example' },
  responses: {
    200: { description: 'Number of erased records by kind.', schema: z.object({ deleted: deletedSchema }) },
    202: { description: 'Still running in the background.', schema: projectResetSchema },
  },
  place: 'elsewhere',
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handler(ctx, { user, params, body }) {
    const reset = presentReset(await ctx.services.projectErasure.reset(user.id, params.id, body.confirm));
    if (reset.status === 'running') {
      ctx.status = 202;
      ctx.body = reset;
      return;
    }
    ctx.body = { deleted: reset.deleted };
  },
});

export const findReset = defineRoute('GET /users/@me/projects/:id/reset', {
  auth: 'user',
  summary: 'Progress of the latest reset of a project',
  description: 'Requires an owner or admin.',
  responses: ok('The last reset.', projectResetSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, params }) {
    ctx.body = presentReset(await ctx.services.projectErasure.findReset(user.id, params.id));
  },
});
