import { defineRoute, ok } from '../edge/define-route.ts';
import * as schemas from '../schemas/contact-fields.ts';

const params = schemas.fieldParamsSchema;

export const listContactFields = defineRoute('GET /contacts/fields', {
  summary: 'List the fields of contacts',
  description:
    'The built-in fields and every key of `data` that the project has used, at most 10,000. Coverage is exact.',
  responses: ok('The fields.', schemas.contactFieldsSchema, {
    fields: [
      { field: 'email', type: 'string', isCustom: false, coverage: 1 },
      { field: 'data.plan', type: 'string', isCustom: true, coverage: 0.82 },
    ],
    count: 2,
  }),
  async handler(ctx, { project }) {
    const fields = await ctx.services.contactFields.list(project.id);
    ctx.body = { fields, count: fields.length };
  },
});

export const listFieldValues = defineRoute('GET /contacts/fields/:field/values', {
  summary: 'List the values of a field',
  description:
    'Distinct strings, numbers and booleans, sorted. When there are more values than `limit`, returns ' +
    'those of the newest contacts. Only a limited number of contacts is read: `searched` says how many. Dots address nested data. ' +
    'A key that no contact has, which a condition may well name, has no values.',
  params,
  query: schemas.fieldValuesQuerySchema,
  responses: ok('The values.', schemas.fieldValuesSchema, {
    field: 'data.plan',
    values: ['free', 'pro', 'team'],
    count: 3,
    limit: 100,
    searched: null,
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params, query: { limit } }) {
    const found = await ctx.services.contactFields.values(project.id, params.field, limit);
    ctx.body = { ...found, count: found.values.length, limit };
  },
});

export const getFieldUsage = defineRoute('GET /contacts/fields/:field/usage', {
  summary: 'Find what refers to a field',
  description: 'Segments, campaigns and workflows whose conditions read the field, or data nested below it.',
  params,
  responses: ok('References to the field.', schemas.fieldUsageSchema, {
    usedInSegments: [{ id: '019aa7a4-6c1e-7d52-8f0b-3c5d1f0e9a11', name: 'Paying customers' }],
    usedInCampaigns: [],
    usedInWorkflows: [],
    contactCount: 8_214,
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = await ctx.services.contactFields.usage(project.id, params.field);
  },
});

export const deleteContactField = defineRoute('DELETE /contacts/fields/:field', {
  summary: 'Delete a field from every contact',
  description:
    'Returns once the field is removed from all contacts. References to the field remain and no longer ' +
    'match. The next value of the key determines a new type. If the call is interrupted, repeat it.',
  params,
  responses: ok('Deleted.', schemas.deletedFieldSchema, { deletedFrom: 8_214 }),
  place: 'elsewhere',
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = { deletedFrom: await ctx.services.contactFields.remove(project.id, params.field) };
  },
});
