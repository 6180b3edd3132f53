import { randomUUID } from 'node:crypto';
import { type ContractLine, type Refusal, stale, under, withBody, withQuery } from '../line.ts';
import { contactFields, cursorFields, jobFields } from './fields.ts';

const refuses = (when: string, status: number, change: Refusal['change'], code?: string): Refusal => ({
  when,
  status,
  change,
  ...(code !== undefined && { code }),
});

function csv(text: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([text], { type: 'text/csv' }), 'contacts.csv');
  return form;
}

const bulk = (operation: string): ContractLine => ({
  line: `POST /contacts/bulk-${operation}`,
  key: 'sk',
  success: 202,
  answer: ['message', 'jobId'],
  valid: async (world) => ({ body: { contactIds: [await world.contact()] } }),
  required: ['contactIds'],
  refusals: [
    refuses(
      'there are 1,001 ids',
      422,
      withBody({ contactIds: Array.from({ length: 1_001 }, () => randomUUID()) }),
    ),
    refuses('there is no id', 422, withBody({ contactIds: [] })),
    refuses('an id is none', 422, withBody({ contactIds: ['ada'] })),
    refuses('the ids are no list', 422, withBody({ contactIds: 'ada' })),
  ],
});

export const contactLines: readonly ContractLine[] = [
  {
    line: 'GET /contacts',
    key: 'sk',
    success: 200,
    answer: [...under('data.0', contactFields), ...cursorFields, 'total', 'totalAccuracy', 'searchedUntil'],
    valid: async (world) => {
      const search = (await world.address()).toUpperCase();
      const order = 'limit=1000&subscribed=true&sort=whatever&dir=whatever';
      return { query: `search=${encodeURIComponent(search)}&${order}` };
    },
    refusals: [
      refuses('the limit is no number', 422, withQuery('limit=many')),
      refuses('the limit is 0', 422, withQuery('limit=0')),
      refuses('subscribed is no boolean', 422, withQuery('subscribed=maybe')),
      refuses('the cursor is none of ours', 400, withQuery('cursor=whatever'), 'BAD_REQUEST'),
    ],
  },
  {
    line: 'GET /contacts/count',
    key: 'sk',
    success: 200,
    answer: ['count', ...cursorFields, 'searchedUntil'],
    valid: async (world) => ({ query: `search=${encodeURIComponent(await world.address())}` }),
    refusals: [
      refuses('subscribed is no boolean', 422, withQuery('subscribed=maybe')),
      refuses('the cursor is none of ours', 400, withQuery('cursor=whatever'), 'BAD_REQUEST'),
    ],
  },
  {
    line: 'POST /contacts',
    key: 'sk',
    success: 201,
    answer: [...contactFields, '_meta.isNew', '_meta.isUpdate'],
    valid: () => ({
      body: { email: `${randomUUID()}@example.com`, subscribed: true, data: { plan: 'pro' } },
    }),
    required: ['email'],
    missing: 400,
    simpleErrors: true,
    refusals: [
      refuses(
        'data is larger than 64 KB',
        422,
        withBody({ data: { text: 'x'.repeat(70_000) } }),
        'VALIDATION_ERROR',
      ),
      refuses('the address is none', 422, withBody({ email: 'ada@' }), 'VALIDATION_ERROR'),
      refuses('the address is no text', 422, withBody({ email: 7 }), 'VALIDATION_ERROR'),
      refuses('the address is null', 400, withBody({ email: null })),
      refuses('subscribed is no boolean', 422, withBody({ subscribed: 'no' }), 'VALIDATION_ERROR'),
      refuses('subscribed is null', 422, withBody({ subscribed: null }), 'VALIDATION_ERROR'),
      refuses('data is no object', 422, withBody({ data: 'x' }), 'VALIDATION_ERROR'),
      refuses('data is a list', 422, withBody({ data: ['x'] }), 'VALIDATION_ERROR'),
      refuses('there is no address, and data is no object', 400, withBody({ email: undefined, data: 'x' })),
    ],
  },
  {
    line: 'GET /contacts/:id',
    key: 'sk',
    success: 200,
    answer: contactFields,
    valid: async (world) => ({ params: { id: await world.contact() } }),
  },
  {
    line: 'PATCH /contacts/:id',
    key: 'sk',
    success: 200,
    answer: contactFields,
    valid: async (world) => ({
      params: { id: await world.contact() },
      body: { email: `${randomUUID()}@example.com`, subscribed: false, data: { plan: null } },
    }),
    refusals: [
      stale,
      {
        when: 'another contact has the address',
        status: 409,
        code: 'CONFLICT',
        change: async (valid, world) => withBody({ email: await world.address() })(valid),
      },
      refuses('the address is none', 422, withBody({ email: 'ada@' }), 'VALIDATION_ERROR'),
    ],
  },
  {
    line: 'DELETE /contacts/:id',
    key: 'sk',
    success: 204,
    valid: async (world) => ({ params: { id: await world.contact() } }),
  },
  {
    line: 'POST /contacts/lookup',
    key: 'sk',
    success: 200,
    answer: ['found.0', 'notFound.0'],
    valid: async (world) => ({ body: { emails: [await world.address(), `${randomUUID()}@example.com`] } }),
    required: ['emails'],
    missing: 400,
    refusals: [
      refuses('there is no address', 400, withBody({ emails: [] }), 'BAD_REQUEST'),
      refuses(
        'there are 501 addresses',
        400,
        withBody({ emails: Array(501).fill('a@example.com') }),
        'BAD_REQUEST',
      ),
      refuses('an address is none', 400, withBody({ emails: ['ada'] }), 'BAD_REQUEST'),
    ],
  },
  {
    line: 'GET /contacts/fields',
    key: 'sk',
    success: 200,
    answer: [...under('fields.0', ['field', 'type', 'isCustom', 'coverage']), 'count'],
    valid: () => ({}),
  },
  {
    line: 'GET /contacts/fields/:field/values',
    key: 'sk',
    success: 200,
    answer: ['field', 'values.0', 'count', 'limit'],
    names: ['field'],
    valid: async (world) => {
      await world.contact();
      return { params: { field: 'data.plan' }, query: 'limit=1000' };
    },
    refusals: [
      refuses(
        'no field can have the name',
        404,
        (valid) => ({ ...valid, params: { field: `data.${'x'.repeat(2_000)}` } }),
        'NOT_FOUND',
      ),
      refuses('the limit is no number', 422, withQuery('limit=many')),
    ],
  },
  {
    line: 'GET /contacts/fields/:field/usage',
    key: 'sk',
    success: 200,
    answer: ['usedInSegments', 'usedInCampaigns', 'usedInWorkflows', 'contactCount'],
    names: ['field'],
    valid: async (world) => {
      await world.contact();
      return { params: { field: 'data.plan' } };
    },
    refusals: [
      refuses(
        'nobody knows the field',
        404,
        (valid) => ({ ...valid, params: { field: 'data.nothing' } }),
        'NOT_FOUND',
      ),
    ],
  },
  {
    line: 'DELETE /contacts/fields/:field',
    key: 'sk',
    success: 200,
    answer: ['deletedFrom'],
    names: ['field'],
    valid: async (world) => {
      const key = `key-${randomUUID()}`;
      await world.call('POST', '/contacts', { email: `${randomUUID()}@example.com`, data: { [key]: 'x' } });
      return { params: { field: `data.${key}` } };
    },
    refusals: [
      refuses(
        'the field is built in',
        400,
        (valid) => ({ ...valid, params: { field: 'email' } }),
        'BAD_REQUEST',
      ),
    ],
  },
  {
    line: 'POST /contacts/import',
    key: 'sk',
    success: 202,
    answer: ['message', 'jobId'],
    valid: () => ({ form: csv(`email,plan\n${randomUUID()}@example.com,pro\n`) }),
    refusals: [
      refuses('there is no file', 400, () => ({ form: new FormData() }), 'BAD_REQUEST'),
      refuses('the file is larger than 5 MB', 413, () => ({
        form: csv(`email\n${'x'.repeat(5 * 1024 * 1024)}`),
      })),
      refuses('there is no column email', 422, () => ({ form: csv('name\nAda\n') }), 'VALIDATION_ERROR'),
      refuses('the dry run is neither true nor false', 422, withQuery('dryRun=maybe')),
    ],
  },
  {
    line: 'GET /contacts/import/:jobId',
    key: 'sk',
    success: 200,
    answer: jobFields,
    valid: async (world) => ({ params: { jobId: await world.importJob() } }),
    refusals: [
      {
        when: 'the job is not an import',
        status: 404,
        code: 'NOT_FOUND',
        change: async (_, world) => ({ params: { jobId: await world.bulkJob() } }),
      },
    ],
  },
  {
    line: 'GET /contacts/import/:jobId/errors.csv',
    key: 'sk',
    success: 200,
    type: 'text/csv; charset=utf-8',
    valid: async (world) => ({ params: { jobId: await world.importJob() } }),
  },
  {
    line: 'GET /contacts/export',
    key: 'sk',
    success: 200,
    type: 'text/csv; charset=utf-8',
    valid: async (world) => ({ query: `search=${await world.address()}` }),
    refusals: [refuses('the status is none', 422, withQuery('status=lost'))],
  },
  bulk('subscribe'),
  bulk('unsubscribe'),
  bulk('delete'),
  {
    line: 'GET /contacts/bulk/:jobId',
    key: 'sk',
    success: 200,
    answer: jobFields,
    valid: async (world) => ({ params: { jobId: await world.bulkJob() } }),
    refusals: [
      refuses('the job is an import', 404, async (_, world) => ({
        params: { jobId: await world.importJob() },
      })),
    ],
  },
  {
    line: 'GET /suppressions',
    key: 'sk',
    success: 200,
    answer: ['data', ...cursorFields, 'total', 'totalAccuracy'],
    valid: () => ({ query: 'reason=bounce' }),
    refusals: [refuses('the cursor is none of ours', 400, withQuery('cursor=whatever'), 'BAD_REQUEST')],
  },
  {
    line: 'DELETE /suppressions/:email',
    key: 'sk',
    success: 204,
    names: ['email'],
    valid: async (world) => {
      const email = await world.address();
      await world.stack.sql(
        `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now()
         where project_id = $1 and email = $2`,
        [world.project.id, email],
      );
      return { params: { email } };
    },
    refusals: [
      refuses(
        'nobody has the address',
        404,
        () => ({ params: { email: `${randomUUID()}@example.com` } }),
        'NOT_FOUND',
      ),
      refuses('the address is none', 422, () => ({ params: { email: 'ada' } }), 'VALIDATION_ERROR'),
    ],
  },
];
