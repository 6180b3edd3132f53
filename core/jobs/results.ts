import { z } from 'zod';

/** Errors that a job lists; all of them count. */
export const maxImportErrors = 100;

/** What an import came to so far. */
export const importResultSchema = z.object({
  totalRows: z.number().int().default(0).describe('Rows below the header that hold any text.'),
  created: z.number().int().default(0).describe('Rows that created a contact.'),
  updated: z
    .number()
    .int()
    .default(0)
    .describe('Rows of a contact that existed, or that an earlier row of the file created.'),
  skipped: z.number().int().default(0).describe('Rows that could not be used.'),
  errors: z
    .array(
      z.object({
        row: z.number().int().describe('The header is row 1, blank rows count.'),
        email: z.string().describe('As it is in the file.'),
        message: z.string(),
      }),
    )
    .default([])
    .describe('Why rows were skipped, the first 100.'),
});

export const bulkOperations = ['subscribe', 'unsubscribe', 'delete'] as const;
export type BulkOperation = (typeof bulkOperations)[number];

/** What a bulk operation came to so far. */
export const bulkResultSchema = z.object({
  operation: z.enum(bulkOperations),
  totalRequested: z.number().int().describe('Different ids of the request.'),
  successCount: z.number().int().default(0).describe('Contacts that were changed or deleted.'),
  unchangedCount: z.number().int().default(0).describe('Contacts that were so before.'),
  failureCount: z.number().int().default(0).describe('Ids that are no contact of the project.'),
  errors: z
    .array(z.object({ contactId: z.string(), message: z.string() }))
    .default([])
    .describe('One for each failure.'),
});

export type ImportResult = z.output<typeof importResultSchema>;
export type BulkResult = z.output<typeof bulkResultSchema>;
