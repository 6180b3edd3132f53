import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { deletedSchema, presentProjectReset, projectResetSchema } from '../presenters/project-reset.ts';

const tags = ['Projects'];
const params = z.object({ id: idSchema });

export const deleteProject = defineRoute({
  method: 'DELETE',
  path: '/users/@me/projects/:id',
  auth: 'user',
  tags,
  summary: 'Delete a project',
  description:
    'Its keys stop working at once, and everything it has is erased in the background. For owners.',
  params,
  responses: { 204: { description: 'The project is gone.' } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, services }) {
    await services.projectErasure.remove(user.id, params.id);
    return { status: 204 };
  },
});

export const resetProject = defineRoute({
  method: 'POST',
  path: '/users/@me/projects/:id/reset',
  auth: 'user',
  tags,
  summary: 'Erase the data of a project',
  description:
    'Contacts, emails, events, templates, segments, campaigns, workflows, jobs and uploaded images go, and cannot be ' +
    'brought back; ' +
    'keys, members, domains and settings stay. What sends stops at once. A call waits up to 20 seconds for the end; a ' +
    'reset that takes longer goes on in the background, and `GET` of the same path says how far it is. One at a time. ' +
    'For owners and admins.',
  params,
  body: z.object({ confirm: z.string().describe('The name of the project.') }),
  bodyExample: { confirm: 'Example' },
  responses: {
    200: { description: 'How many of each there were.', schema: z.object({ deleted: deletedSchema }) },
    202: { description: 'It goes on in the background.', schema: projectResetSchema },
  },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handler({ user, params, body, services }) {
    const reset = presentProjectReset(await services.projectErasure.reset(user.id, params.id, body.confirm));
    if (reset.status === 'running') return { status: 202, body: reset };
    return { status: 200, body: { deleted: reset.deleted } };
  },
});

export const findReset = defineRoute({
  method: 'GET',
  path: '/users/@me/projects/:id/reset',
  auth: 'user',
  tags,
  summary: 'How far the last reset of a project is',
  description: 'For owners and admins.',
  params,
  responses: { 200: { description: 'The last reset.', schema: projectResetSchema } },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, services }) {
    return {
      status: 200,
      body: presentProjectReset(await services.projectErasure.findReset(user.id, params.id)),
    };
  },
});
