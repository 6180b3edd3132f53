import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';

const tags = ['Projects'];
const params = z.object({ id: idSchema });
const count = z.int().min(0);

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
    'Contacts, emails, events, templates, segments, campaigns, workflows and jobs go, and cannot be brought back; ' +
    'keys, members, domains and settings stay. For owners and admins.',
  params,
  body: z.object({ confirm: z.string().describe('The name of the project.') }),
  bodyExample: { confirm: 'Example' },
  responses: {
    200: {
      description: 'How many of each there were.',
      schema: z.object({
        deleted: z.object({
          contacts: count,
          emails: count,
          events: count,
          templates: count,
          segments: count,
          campaigns: count,
          workflows: count,
          jobs: count,
        }),
      }),
    },
  },
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, body, services }) {
    return {
      status: 200,
      body: { deleted: await services.projectErasure.reset(user.id, params.id, body.confirm) },
    };
  },
});
