import { answerCsv, csvFile } from '../edge/answer-csv.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as listSchemas from '../schemas/contact-list.ts';
import * as schemas from '../schemas/contacts.ts';
import { ifMatchHeadersSchema } from '../schemas/if-match.ts';

export const listContacts = defineRoute('GET /contacts', {
  summary: 'List contacts',
  description:
    'Filters may be combined. A filter on data scans a limited number of contacts per page, so a page may have fewer than ' +
    '`limit` and still not be the last: `searchedUntil` tells how far it was searched.',
  query: listSchemas.listContactsQuerySchema,
  responses: ok('A page of contacts.', listSchemas.contactPageSchema),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const { contacts, cursor, ...page } = await ctx.services.contactList.list(project.id, query);
    ctx.body = {
      data: contacts.map((contact) => present(schemas.contactSchema, contact)),
      cursor,
      hasMore: cursor !== null,
      ...page,
    };
  },
});

export const countContacts = defineRoute('GET /contacts/count', {
  summary: 'Count contacts',
  description:
    'Exact, with the filters of the list. If every contact must be scanned, it counts in parts, newest contacts ' +
    'first: follow `cursor` and add up `count`.',
  query: listSchemas.countContactsQuerySchema,
  responses: ok('The number, or a part of it.', listSchemas.contactCountSchema, {
    count: 1824,
    cursor: null,
    hasMore: false,
    searchedUntil: null,
  }),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, query }) {
    const { cursor, ...part } = await ctx.services.contactList.count(project.id, query);
    ctx.body = { cursor, hasMore: cursor !== null, ...part };
  },
});

export const exportContacts = defineRoute('GET /contacts/export', {
  summary: 'Export contacts as a CSV file',
  description:
    'All contacts that match, oldest first, in UTF-8 with a byte order mark: `id`, `email`, `subscribed` and a column ' +
    'for each field of data. `POST /contacts/import` takes such a file. Nested values are JSON. A text that a ' +
    'spreadsheet would run as a formula (`=`, `+`, `-`, `@`, tab or line break in front) is prefixed with an apostrophe. ' +
    'Nothing else marks a text, so an import reads one like `12345` or `true` as a number or a boolean.',
  query: listSchemas.contactFilterQuerySchema,
  responses: csvFile,
  async handler(ctx, { project, query }) {
    await answerCsv(ctx, project.id, async () => ({
      name: 'contacts.csv',
      file: await ctx.services.contactExport.start(project.id, query),
    }));
  },
});

export const lookupContacts = defineRoute('POST /contacts/lookup', {
  summary: 'Look up which addresses are contacts',
  description:
    'Addresses are compared and returned in their stored form: trimmed, lower-case, without duplicates.',
  body: listSchemas.lookupBodySchema,
  bodyExample: { emails: ['ada@example.com', 'grace@example.com'] },
  responses: ok('The addresses, in input order.', listSchemas.lookedUpSchema, {
    found: ['ada@example.com'],
    notFound: ['grace@example.com'],
  }),
  errors: ['BAD_REQUEST'],
  async handler(ctx, { project, body }) {
    ctx.body = await ctx.services.contactList.lookup(project.id, body.emails);
  },
});

export const upsertContact = defineRoute('POST /contacts', {
  summary: 'Create or update a contact by its address',
  legacyErrors: true,
  body: schemas.upsertContactBodySchema,
  bodyExample: { email: 'ada@example.com', subscribed: true, data: { firstName: 'Ada' } },
  responses: {
    200: { description: 'Updated.', schema: schemas.upsertedContactSchema },
    201: { description: 'Created.', schema: schemas.upsertedContactSchema },
  },
  async handler(ctx, { project, body }) {
    const { contact, isNew } = await ctx.services.contacts.upsert(project.id, body);
    ctx.status = isNew ? 201 : 200;
    ctx.body = { ...present(schemas.contactSchema, contact), _meta: { isNew, isUpdate: !isNew } };
  },
});

export const getContact = defineRoute('GET /contacts/:id', {
  summary: 'Get a contact',
  responses: ok('The contact.', schemas.contactSchema),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    ctx.body = present(schemas.contactSchema, await ctx.services.contacts.get(project.id, params.id));
  },
});

export const patchContact = defineRoute('PATCH /contacts/:id', {
  summary: 'Update a contact',
  description: '`data` is patched: only the keys sent change.',
  headers: ifMatchHeadersSchema,
  body: schemas.patchContactBodySchema,
  responses: ok('The contact after the change.', schemas.contactSchema),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler(ctx, { project, body, params, headers }) {
    const contact = await ctx.services.contacts.patch(project.id, params.id, body, headers['if-match']);
    ctx.body = present(schemas.contactSchema, contact);
  },
});

export const deleteContact = defineRoute('DELETE /contacts/:id', {
  summary: 'Delete a contact',
  responses: { 204: { description: 'Deleted.' } },
  place: 'byService',
  errors: ['NOT_FOUND'],
  handler: (ctx, { project, params }) => ctx.services.contacts.remove(project.id, params.id),
});
