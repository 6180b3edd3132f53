import { maxImportBytes } from '../../core/contact-import/import-format.ts';
import type { BulkOperation } from '../../core/jobs/results.ts';
import { defineRoute } from '../edge/define-route.ts';
import { readUpload } from '../edge/read-upload.ts';
import { bulkJobSchema, importJobSchema, presentBulkJob, presentImportJob } from '../presenters/job.ts';
import { bulkBodySchema, jobParamsSchema, queuedJobSchema } from '../schemas/contact-jobs.ts';

const tags = ['Contacts'];
const jobId = '01927f3e-8c1a-7b52-9d0e-4f6a2b8c1d3e';
const contactId = '01927f3e-7a10-7c44-8f21-0b9e6d5c4a3f';
const times = { createdAt: '2026-03-01T09:00:00.000Z', finishedAt: '2026-03-01T09:00:02.480Z' };

export const importContacts = defineRoute({
  method: 'POST',
  path: '/contacts/import',
  auth: 'secretKey',
  tags,
  summary: 'Import contacts from a CSV file',
  description: [
    'A multipart form with one file of at most 5 MB in the field `file`. The first row names the columns: `email` (in any case) must be there, `subscribed` may be, every other column becomes `data.<column>`; a column without a name is ignored, two of one name are refused.',
    'Comma, semicolon and tab are recognised, and so are UTF-8, UTF-16 with a byte order mark, and Windows-1252. `true`, `false` and plain decimal numbers are stored as such, ISO dates as dates; a number with leading zeros, a plus sign or more than 15 digits stays a text. An empty cell changes nothing. `subscribed` takes true, false, yes, no, 1, 0.',
    'Each row creates or updates the contact of its address, in the order of the file. A bad row is skipped and reported by the job. In reports the header is row 1, blank rows count, and a row with line breaks in its cells is one row.',
  ].join('\n\n'),
  bodyFormat: 'stream',
  uploadField: 'file',
  responses: {
    202: {
      description: 'Queued.',
      schema: queuedJobSchema,
      example: { message: 'The import is queued', jobId },
    },
  },
  errors: ['BAD_REQUEST', 'VALIDATION_ERROR'],
  async handler({ project, request, services }) {
    const upload = { field: 'file', limitBytes: maxImportBytes };
    const id = await readUpload(request, upload, (bytes) =>
      services.contactJobs.startImport(project.id, bytes),
    );
    return { status: 202, body: { message: 'The import is queued', jobId: id } };
  },
});

export const getImportJob = defineRoute({
  method: 'GET',
  path: '/contacts/import/:jobId',
  auth: 'secretKey',
  tags,
  summary: 'Get the state of an import',
  params: jobParamsSchema,
  responses: {
    200: {
      description: 'The import. It is kept for 30 days.',
      schema: importJobSchema,
      example: {
        id: jobId,
        type: 'import',
        state: 'completed',
        progress: 100,
        result: {
          totalRows: 1204,
          created: 1100,
          updated: 103,
          skipped: 1,
          errors: [{ row: 17, email: 'ada@example', message: 'This is not an email address' }],
        },
        failedReason: null,
        ...times,
      },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params, services }) {
    const job = await services.contactJobs.getImport(project.id, params.jobId);
    return { status: 200, body: presentImportJob(job) };
  },
});

export const getBulkJob = defineRoute({
  method: 'GET',
  path: '/contacts/bulk/:jobId',
  auth: 'secretKey',
  tags,
  summary: 'Get the state of a bulk operation',
  params: jobParamsSchema,
  responses: {
    200: {
      description: 'The bulk operation. It is kept for 30 days.',
      schema: bulkJobSchema,
      example: {
        id: jobId,
        type: 'bulk-unsubscribe',
        state: 'completed',
        progress: 100,
        result: {
          operation: 'unsubscribe',
          totalRequested: 200,
          successCount: 180,
          unchangedCount: 19,
          failureCount: 1,
          errors: [{ contactId, message: 'Contact not found' }],
        },
        failedReason: null,
        ...times,
      },
    },
  },
  errors: ['NOT_FOUND'],
  async handler({ project, params, services }) {
    const job = await services.contactJobs.getBulk(project.id, params.jobId);
    return { status: 200, body: presentBulkJob(job) };
  },
});

/** One route for each operation: all take the same list. */
function bulkRoute(operation: BulkOperation, summary: string, description: string) {
  return defineRoute({
    method: 'POST',
    path: `/contacts/bulk-${operation}`,
    auth: 'secretKey',
    tags,
    summary,
    description,
    body: bulkBodySchema,
    bodyExample: { contactIds: [contactId] },
    responses: {
      202: {
        description: 'Queued.',
        schema: queuedJobSchema,
        example: { message: 'The operation is queued', jobId },
      },
    },
    async handler({ project, body, services }) {
      const id = await services.contactJobs.startBulk(project.id, operation, body.contactIds);
      return { status: 202, body: { message: 'The operation is queued', jobId: id } };
    },
  });
}

export const bulkSubscribe = bulkRoute(
  'subscribe',
  'Subscribe many contacts',
  'Each contact that was not subscribed gets the event `contact.subscribed`.',
);

export const bulkUnsubscribe = bulkRoute(
  'unsubscribe',
  'Unsubscribe many contacts',
  'Each contact that was subscribed gets the event `contact.unsubscribed`.',
);

export const bulkDelete = bulkRoute(
  'delete',
  'Delete many contacts',
  'As `DELETE /contacts/{id}` for each of them.',
);
