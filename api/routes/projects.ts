import { z } from 'zod';
import { isBrandColor } from '../../core/brand-color.ts';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { projectSchema } from '../presenters/project.ts';

const tags = ['Projects'];
const nameSchema = z.string().trim().min(1).max(100);
const brandColorSchema = z
  .string()
  .transform((color) => color.toLowerCase())
  .refine(isBrandColor, { message: 'Must be a colour like #1d4ed8', params: { code: 'invalid_string' } });

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
  body: z.object({ name: nameSchema }),
  bodyExample: { name: 'Example' },
  responses: { 201: { description: 'Created; the user owns it.', schema: projectSchema } },
  errors: ['CONFLICT'],
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
  params: z.object({ id: idSchema }),
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

export const changeProject = defineRoute({
  method: 'PATCH',
  path: '/users/@me/projects/:id',
  auth: 'user',
  tags,
  summary: 'Change settings of a project',
  description: 'What is left out stays as it is. For every member.',
  params: z.object({ id: idSchema }),
  body: z.object({
    name: nameSchema.optional(),
    suppressTransactional: z.boolean().optional(),
    brandColor: brandColorSchema.nullable().optional(),
  }),
  bodyExample: { name: 'Example', suppressTransactional: true, brandColor: '#0f766e' },
  responses: { 200: { description: 'The project as it is now.', schema: projectSchema } },
  errors: ['NOT_FOUND'],
  async handler({ user, params, body, services }) {
    return { status: 200, body: await services.projects.change(user.id, params.id, body) };
  },
});
