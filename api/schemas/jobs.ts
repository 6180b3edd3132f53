import { z } from 'zod';
import { fieldTypes } from '../../core/contact-data/infer-field-type.ts';
import { bulkJobTypes, jobStates } from '../../core/jobs/job-states.ts';
import { bulkResultSchema, importResultSchema } from '../../core/jobs/results.ts';
import { anyObject } from './json-object.ts';
import { nullableText } from './nullable.ts';

export const jobStatusSchema = z.object({
  id: z.uuid(),
  state: z.enum(jobStates),
  progress: z.int().min(0).max(100),
  failedReason: nullableText.describe('Set when the state is `failed`.'),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});

const resultNote = 'Null until the job has ended; for a failed job, its results so far.';

export const importJobSchema = z.object({
  ...jobStatusSchema.shape,
  type: z.literal('import'),
  result: importResultSchema.nullable().describe(resultNote),
});

export const bulkJobSchema = z.object({
  ...jobStatusSchema.shape,
  type: z.enum(bulkJobTypes),
  result: bulkResultSchema.nullable().describe(resultNote),
});

export const importPreviewSchema = z
  .object({
    totalRows: importResultSchema.shape.totalRows,
    wouldCreate: z.int().describe('Contacts that the import would create.'),
    wouldUpdate: z.int().describe('Rows of contacts that exist, or that an earlier row would create.'),
    repeated: z.int().describe('How many of these rows have the address of an earlier row.'),
    invalid: z.int().describe('Rows that cannot be used.'),
    errors: importResultSchema.shape.errors.describe('Why, for the first 100 of them.'),
    notices: importResultSchema.shape.notices,
    columns: z.array(
      z.object({
        name: z.string().describe('As it is in the file.'),
        field: nullableText.describe('`email`, `subscribed` or a key of `data`; null when it is left out.'),
        type: z
          .enum(fieldTypes)
          .nullable()
          .describe('Type of its first value, which a new field takes; null without values.'),
      }),
    ),
    preview: z
      .array(
        z.object({
          row: z.int(),
          email: z.string(),
          subscribed: z.boolean().nullable().describe('Null where the row does not say.'),
          data: anyObject,
        }),
      )
      .describe('The first 10 rows that can be used.'),
  })
  .meta({ id: 'ImportPreview' });
