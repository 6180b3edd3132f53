import { defineRoute } from '../edge/define-route.ts';
import {
  contactFieldsSchema,
  deletedFieldSchema,
  fieldParamsSchema,
  fieldUsageSchema,
  fieldValuesQuerySchema,
  fieldValuesSchema,
} from '../schemas/contact-fields.ts';

const tags = ['Contacts'];
const params = fieldParamsSchema;

export const listContactFields = defineRoute({
  method: 'GET',
  path: '/contacts/fields',
  auth: 'secretKey',
  tags,
  summary: 'List the fields of contacts',
  description:
    'The built-in fields, and every key of `data` that the project has seen, of which there are at most 10,000. Coverage is exact.',
  responses: {
    200: {
      description: 'The fields.',
      schema: contactFieldsSchema,
      example: {
        fields: [
          { field: 'email', type: 'string', isCustom: false, coverage: 1 },
          { field: 'data.plan', type: 'string', isCustom: true, coverage: 0.82 },
        ],
        count: 2,
      },
    },
  },
  async handler({ project, services }) {
    const fields = await services.contactFields.list(project.id);
    return { status: 200, body: { fields, count: fields.length } };
  },
});

export const listFieldValues = defineRoute({
  method: 'GET',
  path: '/contacts/fields/:field/values',
  auth: 'secretKey',
  tags,
  summary: 'List the values of a field',
  description:
    'Distinct strings, numbers and booleans, in order. A field with more values than `limit` is answered with those ' +
    'of the contacts created last. Dots go into nested data.',
  params,
  query: fieldValuesQuerySchema,
  responses: {
    200: {
      description: 'The values.',
      schema: fieldValuesSchema,
      example: { field: 'data.plan', values: ['free', 'pro', 'team'], count: 3, limit: 100 },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { field }, query: { limit }, services }) {
    const found = await services.contactFields.values(project.id, field, limit);
    return { status: 200, body: { ...found, count: found.values.length, limit } };
  },
});

export const getFieldUsage = defineRoute({
  method: 'GET',
  path: '/contacts/fields/:field/usage',
  auth: 'secretKey',
  tags,
  summary: 'Find what refers to a field',
  description: 'Segments, campaigns and workflows whose conditions read the field, or data nested below it.',
  params,
  responses: {
    200: {
      description: 'What refers to the field.',
      schema: fieldUsageSchema,
      example: {
        usedInSegments: [{ id: '019aa7a4-6c1e-7d52-8f0b-3c5d1f0e9a11', name: 'Paying customers' }],
        usedInCampaigns: [],
        usedInWorkflows: [],
        contactCount: 8_214,
      },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { field }, services }) {
    return { status: 200, body: await services.contactFields.usage(project.id, field) };
  },
});

export const deleteContactField = defineRoute({
  method: 'DELETE',
  path: '/contacts/fields/:field',
  auth: 'secretKey',
  tags,
  summary: 'Delete a field from every contact',
  description:
    'Answers when it is gone from all of them. What refers to the field stays, and stops matching. The next value ' +
    'of that key gives the field its type anew. When the call is interrupted, repeat it.',
  params,
  responses: {
    200: { description: 'Deleted.', schema: deletedFieldSchema, example: { deletedFrom: 8_214 } },
  },
  errors: ['BAD_REQUEST', 'NOT_FOUND'],
  async handler({ project, params: { field }, services }) {
    return { status: 200, body: { deletedFrom: await services.contactFields.remove(project.id, field) } };
  },
});
