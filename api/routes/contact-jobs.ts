import { Readable } from 'node:stream';
import { z } from 'zod';
import { maxImportBytes } from '../../core/contact-import/import-format.ts';
import { idSchema } from '../../core/id-schema.ts';
import type { BulkOperation } from '../../core/jobs/results.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { readUpload } from '../edge/read-upload.ts';
import { presentBulkJob, presentImportJob, presentImportPreview } from '../presenters/job.ts';
import { bulkJobSchema, importJobSchema, importPreviewSchema } from '../schemas/jobs.ts';
import { queryFlagSchema } from '../schemas/pagination.ts';

const maxBulkContacts = 1_000;

const bulkBodySchema = z.object({
  contactIds: z
    .array(idSchema)
    .min(1)
    .max(maxBulkContacts)
    .describe('Repeated ids count once; ids that are not contacts of the project are failures.'),
});

const queuedJobSchema = z.object({ message: z.string(), jobId: z.uuid() });

const importQuerySchema = z.object({
  dryRun: queryFlagSchema.optional().describe('`true`: report what the import would do, without doing it.'),
});

const jobId = '01927f3e-8c1a-7b52-9d0e-4f6a2b8c1d3e';
const contactId = '01927f3e-7a10-7c44-8f21-0b9e6d5c4a3f';
const times = { createdAt: '2026-03-01T09:00:00.000Z', finishedAt: '2026-03-01T09:00:02.480Z' };

export const importContacts = defineRoute('POST /contacts/import', {
  summary: 'Import contacts from a CSV file',
  description: [
    'A multipart form with one file of at most 5 MB in the field `file`. The first row names the columns: `email` (in any case) must be there, `subscribed` may be, every other column becomes `data.<column>`; a column without a name is ignored, as are `Rejected row` and `Rejected because` of a file of rejected rows; duplicate names are refused.',
    'Comma, semicolon, tab and vertical bar are recognized as separators; UTF-8, UTF-16 with a byte order mark, and Windows-1252 as encodings. `true`, `false` and plain decimal numbers are stored as such, ISO dates as dates; a number with leading zeros, a plus sign or more than 15 digits stays a text, except a fraction exactly as an export writes it. A JSON list or object, as an export has it, is stored as such. An empty cell changes nothing. `subscribed` takes true, false, yes, no, 1, 0, the words also in German, Spanish, French, Italian, Dutch, Polish and Portuguese.',
    'Each row creates or updates the contact of its address, in the order of the file. A bad row is skipped and reported by the job. In reports the header is row 1, blank rows count, and a row with line breaks in its cells is one row. `notices` of the result name fields that became text although most of their values look like numbers or dates in another notation, such as `7,5` and `31.12.2025`.',
    'The optional field `mapping` of the form is a JSON object from names of columns to what they become: `email`, `subscribed`, a key of data, or null to leave the column out, such as `{"Mail":"email","Notes":null}`. Columns that it does not name stay as above. `data.subscribed`, as an export has it, is the key `subscribed` of data, in the file as in the mapping. Reserved keys, such as `email` and `id`, are left out, as everywhere in `data`.',
  ].join('\n\n'),
  uploadField: 'file',
  place: 'elsewhere',
  uploadTexts: {
    mapping: { type: 'string', description: 'JSON object: what columns become, such as `{"Notes":null}`.' },
    segmentId: { type: 'string', description: 'Id of a static segment that the contacts of the file join.' },
  },
  query: importQuerySchema,
  responses: {
    200: { description: 'What the import would do (`dryRun=true`).', schema: importPreviewSchema },
    202: {
      description: 'Queued.',
      schema: queuedJobSchema,
      example: { message: 'The import was queued', jobId },
    },
  },
  errors: ['BAD_REQUEST', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { project, query }) {
    const { contactJobs } = ctx.services;
    const upload = {
      field: 'file',
      limitBytes: maxImportBytes,
      heldFor: query.dryRun ? project.id : undefined,
    };
    if (query.dryRun) {
      const preview = await readUpload(ctx, upload, (bytes, fields) =>
        contactJobs.previewImport(project.id, { bytes, fields }),
      );
      ctx.status = 200;
      ctx.body = presentImportPreview(preview);
      return;
    }
    const id = await readUpload(ctx, upload, (bytes, fields) =>
      contactJobs.startImport(project.id, { bytes, fields }),
    );
    ctx.status = 202;
    ctx.body = { message: 'The import was queued', jobId: id };
  },
});

export const getImportJob = defineRoute('GET /contacts/import/:jobId', {
  summary: 'Get the state of an import',
  responses: ok('The import. It is kept for 30 days.', importJobSchema, {
    id: jobId,
    type: 'import',
    state: 'completed',
    progress: 100,
    result: {
      totalRows: 1204,
      created: 1100,
      updated: 103,
      repeated: 3,
      skipped: 1,
      errors: [{ row: 17, email: 'ada@example', message: 'This is not an email address' }],
      notices: [],
    },
    failedReason: null,
    ...times,
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const job = await ctx.services.contactJobs.getImport(project.id, params.jobId);
    ctx.body = presentImportJob(job);
  },
});

export const getImportErrors = defineRoute('GET /contacts/import/:jobId/errors.csv', {
  summary: 'Get the rows that an import skipped, as a CSV file',
  description:
    'The first 10,000, with all columns of the imported file and its separator, to be corrected and imported again: in ' +
    'UTF-8 with a byte order mark, formulas marked as in the export of contacts. Two columns in front say which row it ' +
    'was and why it was rejected; an import leaves them out. A last line says how many rows are not in the file.',
  responses: { 200: { description: 'The file.', contentType: 'text/csv; charset=utf-8' } },
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const file = await ctx.services.contactJobs.readRejections(project.id, params.jobId);
    ctx.attachment('import-errors.csv');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = Readable.from(file);
  },
});

export const getBulkJob = defineRoute('GET /contacts/bulk/:jobId', {
  summary: 'Get the state of a bulk operation',
  responses: ok('The bulk operation. It is kept for 30 days.', bulkJobSchema, {
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
  }),
  errors: ['NOT_FOUND'],
  async handler(ctx, { project, params }) {
    const job = await ctx.services.contactJobs.getBulk(project.id, params.jobId);
    ctx.body = presentBulkJob(job);
  },
});

function bulkRoute(operation: BulkOperation, summary: string, description: string) {
  return defineRoute(`POST /contacts/bulk-${operation}`, {
    summary,
    description,
    body: bulkBodySchema,
    bodyExample: { contactIds: [contactId] },
    responses: {
      202: {
        description: 'Queued.',
        schema: queuedJobSchema,
        example: { message: 'The operation was queued', jobId },
      },
    },
    async handler(ctx, { project, body }) {
      const id = await ctx.services.contactJobs.startBulk(project.id, operation, body.contactIds);
      ctx.body = { message: 'The operation was queued', jobId: id };
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
  'Like `DELETE /contacts/{id}` for each contact.',
);
