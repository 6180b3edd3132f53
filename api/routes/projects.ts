import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';
import * as schemas from '../schemas/projects.ts';
import type { MemberProject } from '../services/projects.ts';

const withoutSecret = schemas.projectSchema.omit({ secretKey: true });

function presentProject({ project, role, publicKey, secretKey }: MemberProject) {
  return { ...present(withoutSecret, { ...project, role, publicKey }), secretKey };
}

export const listProjects = defineRoute('GET /users/@me/projects', {
  auth: 'user',
  summary: 'The projects of the signed-in user',
  responses: ok('All of them.', schemas.projectListSchema),
  async handler(ctx, { user }) {
    ctx.body = { data: (await ctx.services.projects.list(user.id)).map(presentProject) };
  },
});

export const createProject = defineRoute('POST /users/@me/projects', {
  auth: 'user',
  summary: 'Create a project with both API keys',
  body: schemas.createProjectBodySchema,
  bodyExample: { name: 'Example' },
  idempotent: 'byPath',
  responses: created('Created; the user owns it.', schemas.projectSchema),
  errors: ['CONFLICT'],
  async handler(ctx, { user, body }) {
    ctx.body = presentProject(await ctx.services.projects.create(user.id, body.name));
  },
});

export const regenerateKeys = defineRoute('POST /users/@me/projects/:id/regenerate-keys', {
  auth: 'user',
  summary: 'Replace both API keys',
  description: 'The old keys stop working at once. Requires an owner or admin of the project.',
  responses: ok('The new keys.', schemas.apiKeysSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { user, params }) {
    ctx.body = await ctx.services.projects.regenerateKeys(user.id, params.id);
  },
});

export const changeProject = defineRoute('PATCH /users/@me/projects/:id', {
  auth: 'user',
  summary: 'Change settings of a project',
  description: 'Omitted settings stay unchanged. Any member may do so.',
  headers: ifMatchHeadersSchema,
  body: schemas.changeProjectBodySchema,
  bodyExample: { name: 'Example', suppressTransactional: true, brandColor: '#0f766e', language: 'de' },
  responses: ok('The updated project.', schemas.projectSchema),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler(ctx, { user, params, body, headers }) {
    const project = await ctx.services.projects.change(user.id, params.id, body, headers['if-match']);
    ctx.body = presentProject(project);
  },
});
