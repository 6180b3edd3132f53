import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { defineRoute } from '../edge/define-route.ts';
import { contactSchema, presentContact } from '../presenters/contact.ts';
import {
  contactPageSchema,
  listContactsQuerySchema,
  lookedUpSchema,
  lookupBodySchema,
} from '../schemas/contact-list.ts';
import {
  patchContactBodySchema,
  upsertContactBodySchema,
  upsertedContactSchema,
} from '../schemas/contacts.ts';

const tags = ['Contacts'];
const params = z.object({ id: idSchema });

export const listContacts = defineRoute({
  method: 'GET',
  path: '/contacts',
  auth: 'secretKey',
  tags,
  summary: 'List contacts',
  description: 'Filters may be combined. `total` is exact.',
  query: listContactsQuerySchema,
  responses: { 200: { description: 'A page of contacts.', schema: contactPageSchema } },
  errors: ['BAD_REQUEST'],
  async handler({ project, query, services }) {
    const { contacts, cursor, total } = await services.contactList.list(project.id, query);
    return {
      status: 200,
      body: { data: contacts.map(presentContact), cursor, hasMore: cursor !== null, total },
    };
  },
});

export const lookupContacts = defineRoute({
  method: 'POST',
  path: '/contacts/lookup',
  auth: 'secretKey',
  tags,
  summary: 'Find out which addresses are contacts',
  description: 'Addresses are compared and answered in their stored form: trimmed, in lower case, each once.',
  body: lookupBodySchema,
  bodyExample: { emails: ['ada@example.com', 'grace@example.com'] },
  responses: {
    200: {
      description: 'The addresses, in the order in which they came.',
      schema: lookedUpSchema,
      example: { found: ['ada@example.com'], notFound: ['grace@example.com'] },
    },
  },
  errors: ['BAD_REQUEST'],
  async handler({ project, body: { emails }, services }) {
    return { status: 200, body: await services.contactList.lookup(project.id, emails) };
  },
});

export const upsertContact = defineRoute({
  method: 'POST',
  path: '/contacts',
  auth: 'secretKey',
  tags,
  summary: 'Create or update a contact by its address',
  legacyErrors: true,
  body: upsertContactBodySchema,
  bodyExample: { email: 'ada@example.com', subscribed: true, data: { firstName: 'Ada' } },
  responses: {
    200: { description: 'Updated.', schema: upsertedContactSchema },
    201: { description: 'Created.', schema: upsertedContactSchema },
  },
  async handler({ project, body, services }) {
    const { contact, isNew } = await services.contacts.upsert(project.id, body);
    return {
      status: isNew ? 201 : 200,
      body: { ...presentContact(contact), _meta: { isNew, isUpdate: !isNew } },
    };
  },
});

export const getContact = defineRoute({
  method: 'GET',
  path: '/contacts/:id',
  auth: 'secretKey',
  tags,
  summary: 'Get a contact',
  params,
  responses: { 200: { description: 'The contact.', schema: contactSchema } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    return { status: 200, body: presentContact(await services.contacts.get(project.id, id)) };
  },
});

export const patchContact = defineRoute({
  method: 'PATCH',
  path: '/contacts/:id',
  auth: 'secretKey',
  tags,
  summary: 'Update a contact',
  description: '`data` is patched: only the keys sent change.',
  params,
  body: patchContactBodySchema,
  responses: { 200: { description: 'The contact after the change.', schema: contactSchema } },
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handler({ project, params: { id }, body, services }) {
    return { status: 200, body: presentContact(await services.contacts.patch(project.id, id, body)) };
  },
});

export const deleteContact = defineRoute({
  method: 'DELETE',
  path: '/contacts/:id',
  auth: 'secretKey',
  tags,
  summary: 'Delete a contact',
  params,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['NOT_FOUND'],
  async handler({ project, params: { id }, services }) {
    await services.contacts.remove(project.id, id);
    return { status: 204 };
  },
});
