import { created, defineRoute, ok } from '../edge/define-route.ts';
import { holdAnswer } from '../edge/hold-answer.ts';
import { presentOffsetPage } from '../presenters/page.ts';
import { bodyBytesOf, presentTemplate, withoutBody } from '../presenters/template.ts';
import { testEmailAnswerSchema, testEmailBodySchema } from '../schemas/email-preview.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';
import { examplePage, idsQuerySchema, mostBodyBytes } from '../schemas/pagination.ts';
import * as schemas from '../schemas/templates.ts';

const example = {
  id: '01980d9c-7a4e-7c31-9f5b-2f6d8a1c0e47',
  name: 'Welcome',
  description: 'Sent after sign-up',
  subject: 'Welcome, {{ firstName ?? "friend" }}',
  body: '<p>Hello {{ firstName ?? "friend" }}, good to have you.</p>',
  from: 'hello@example.com',
  fromName: 'Example',
  replyTo: null,
  type: 'MARKETING',
  projectId: '01980d9c-1111-7000-8000-000000000001',
  createdAt: '2026-01-31T09:00:00.000Z',
  updatedAt: '2026-01-31T09:00:00.000Z',
};

export const listTemplates = defineRoute('GET /templates', {
  summary: 'List templates',
  query: schemas.listTemplatesQuerySchema,
  responses: ok('A page of templates.', schemas.templatePageSchema, examplePage(example)),
  async handler(ctx, { project, query }) {
    const shrinkTo = query.body ? await holdAnswer(ctx, project.id, mostBodyBytes(query)) : undefined;
    const [templates, total] = await ctx.services.templates.list(project.id, query);
    shrinkTo?.(bodyBytesOf(templates));
    ctx.body = presentOffsetPage(
      templates.map(presentTemplate).map((one) => (query.body ? one : withoutBody(one))),
      total,
      query,
    );
  },
});

export const createTemplate = defineRoute('POST /templates', {
  summary: 'Create a template',
  description:
    'Subject and body are Liquid. `{{ name ?? "default" }}` falls back when a field is missing or null; ' +
    'in the body every output is escaped unless it ends in `| raw`; of `{{ a | raw ?? b }}`, only `b` is. Invalid ' +
    'Liquid is refused with its line and column.',
  legacyErrors: true,
  body: schemas.createTemplateBodySchema,
  bodyExample: {
    name: 'Welcome',
    description: 'Sent after sign-up',
    subject: 'Welcome, {{ firstName ?? "friend" }}',
    body: '<p>Hello {{ firstName ?? "friend" }}, good to have you.</p>',
    from: 'hello@example.com',
    fromName: 'Example',
    type: 'MARKETING',
  },
  idempotent: 'byPath',
  responses: created('The template.', schemas.templateSchema, example),
  errors: ['SENDER_DOMAIN_REFUSED'],
  place: 'byService',
  async handler(ctx, { project, body }) {
    ctx.body = presentTemplate(await ctx.services.templates.create(project.id, body));
  },
});

export const countTemplateUses = defineRoute('GET /templates/usage', {
  summary: 'Count what sends each template of a page',
  query: idsQuerySchema,
  responses: ok('The counts.', schemas.templateUsesSchema, {
    data: [{ templateId: example.id, workflows: 2 }],
  }),
  async handler(ctx, { project, query }) {
    ctx.body = { data: await ctx.services.templates.countUses(project.id, query.ids) };
  },
});

export const getTemplate = defineRoute('GET /templates/:id', {
  summary: 'Get a template',
  responses: ok('The template.', schemas.templateSchema, example),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentTemplate(await ctx.services.templates.get(project.id, params.id));
  },
});

export const patchTemplate = defineRoute('PATCH /templates/:id', {
  summary: 'Update a template',
  description:
    'Only the fields sent change; null clears `description`, `fromName` and `replyTo`. Changes apply to ' +
    'the next send; accepted emails keep their content.',
  headers: ifMatchHeadersSchema,
  body: schemas.patchTemplateBodySchema,
  bodyExample: { subject: 'Good to have you, {{ firstName ?? "friend" }}', replyTo: null },
  responses: ok('The template after the change.', schemas.templateSchema, example),
  errors: ['BAD_REQUEST', 'NOT_FOUND', 'SENDER_DOMAIN_REFUSED', 'CONFLICT'],
  place: 'byService',
  async handler(ctx, { project, body, params, headers }) {
    const template = await ctx.services.templates.patch(project.id, params.id, body, headers['if-match']);
    ctx.body = presentTemplate(template);
  },
});

export const deleteTemplate = defineRoute('DELETE /templates/:id', {
  summary: 'Delete a template',
  description:
    '409 while workflow steps send it (`details.workflowSteps`), or active executions do, which keep the version of the workflow ' +
    'that they started with (`details.workflowVersions`).',
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  handler: (ctx, { project, params }) => ctx.services.templates.remove(project.id, params.id),
});

export const duplicateTemplate = defineRoute('POST /templates/:id/duplicate', {
  summary: 'Duplicate a template',
  idempotent: 'byPath',
  responses: created('The new template, with " (Copy)" appended to its name.', schemas.templateSchema, {
    ...example,
    id: '01980da0-5b1c-7f02-8e11-6a0c4b7d9e55',
    name: 'Welcome (Copy)',
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = presentTemplate(await ctx.services.templates.duplicate(project.id, params.id));
  },
});

export const templateUsage = defineRoute('GET /templates/:id/usage', {
  summary: 'What sends a template',
  responses: ok('Campaigns and workflow steps that refer to it.', schemas.templateUsageSchema, {
    campaigns: [],
    workflowSteps: [],
    workflowVersions: [],
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.templates.usage(project.id, params.id);
  },
});

export const testTemplate = defineRoute('POST /templates/:id/test', {
  summary: 'Send a test of a template to one address',
  description:
    'Rendered like a real send, with the data of the contact at that address when there is one; the subject is ' +
    'prefixed `[TEST] `. No contact is created.',
  refuseDisabledProject: true,
  body: testEmailBodySchema,
  bodyExample: { email: 'ada@example.com' },
  responses: ok('On its way.', testEmailAnswerSchema),
  errors: ['NOT_FOUND', 'SENDER_DOMAIN_REFUSED'],
  async handler(ctx, { project, body, params }) {
    await ctx.services.templates.test(project.id, params.id, body.email);
    ctx.body = { success: true as const, message: `Test email to ${body.email} is on its way` };
  },
});
