import { z } from 'zod';

export const maxImportErrors = 100;

const count = z.int().default(0);

export const importResultSchema = z.object({
  totalRows: count.describe('Non-empty rows below the header.'),
  created: count.describe('Rows that created a contact.'),
  updated: count.describe('Rows of a contact that existed, or that an earlier row of the file created.'),
  repeated: count.describe('Usable rows with the address of an earlier row; the values of later rows win.'),
  skipped: count.describe('Rows that could not be used.'),
  errors: z
    .array(
      z.object({
        row: z.int().describe('The header is row 1, blank rows count.'),
        email: z.string().describe('As in the file.'),
        message: z.string(),
      }),
    )
    .default([])
    .describe('Why rows were skipped, the first 100.'),
  notices: z
    .array(
      z.object({
        field: z.string().describe('A key of `data`, as a column names it.'),
        message: z.string(),
      }),
    )
    .default([])
    .describe(
      'Fields whose values became text although most of them look like numbers or dates, such as `7,5` and `31.12.2025`, or that a spreadsheet has shortened, such as `4.91512E+11`. At most 20.',
    ),
});

export const bulkOperations = ['subscribe', 'unsubscribe', 'delete'] as const;
export type BulkOperation = (typeof bulkOperations)[number];

export const bulkResultSchema = z.object({
  operation: z.enum(bulkOperations),
  totalRequested: z.int().describe('Different ids of the request.'),
  successCount: count.describe('Contacts that were changed or deleted.'),
  unchangedCount: count.describe('Contacts already in that state.'),
  failureCount: count.describe('Ids that are not contacts of the project.'),
  errors: z
    .array(z.object({ contactId: z.string(), message: z.string() }))
    .default([])
    .describe('One per failure.'),
});

export type ImportResult = z.output<typeof importResultSchema>;
export type BulkResult = z.output<typeof bulkResultSchema>;
