import { z } from 'zod';
import { defineRoute } from '../edge/define-route.ts';
import { projectSchema } from '../presenters/project.ts';

const tags = ['Projects'];

export const listProjects = defineRoute({
  method: 'GET',
  path: '/users/@me/projects',
  auth: 'user',
  tags,
  summary: 'The projects of the signed-in user',
  responses: { 200: { description: 'All of them.', schema: z.object({ data: z.array(projectSchema) }) } },
  async handler({ user, services }) {
    return { status: 200, body: { data: await services.projects.list(user.id) } };
  },
});

export const createProject = defineRoute({
  method: 'POST',
  path: '/users/@me/projects',
  auth: 'user',
  tags,
  summary: 'Create a project with both API keys',
  body: z.object({ name: z.string().trim().min(1).max(100) }),
  bodyExample: { name: 'Example' },
  responses: { 201: { description: 'Created; the user owns it.', schema: projectSchema } },
  async handler({ user, body, services }) {
    return { status: 201, body: await services.projects.create(user.id, body.name) };
  },
});

export const regenerateKeys = defineRoute({
  method: 'POST',
  path: '/users/@me/projects/:id/regenerate-keys',
  auth: 'user',
  tags,
  summary: 'Replace both API keys',
  description: 'The old keys stop working at once. For owners and admins of the project.',
  params: z.object({ id: z.uuid() }),
  responses: {
    200: {
      description: 'The new keys.',
      schema: z.object({ publicKey: z.string(), secretKey: z.string() }),
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ user, params, services }) {
    return { status: 200, body: await services.projects.regenerateKeys(user.id, params.id) };
  },
});
