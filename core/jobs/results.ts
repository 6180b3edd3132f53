import { z } from 'zod';

export const maxImportErrors = 100;

export const importResultSchema = z.object({
  totalRows: z.number().int().default(0).describe('Non-empty rows below the header.'),
  created: z.number().int().default(0).describe('Rows that created a contact.'),
  updated: z
    .number()
    .int()
    .default(0)
    .describe('Rows of a contact that existed, or that an earlier row of the file created.'),
  repeated: z
    .number()
    .int()
    .default(0)
    .describe('Usable rows with the address of an earlier row; the values of later rows win.'),
  skipped: z.number().int().default(0).describe('Rows that could not be used.'),
  errors: z
    .array(
      z.object({
        row: z.number().int().describe('The header is row 1, blank rows count.'),
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
  totalRequested: z.number().int().describe('Different ids of the request.'),
  successCount: z.number().int().default(0).describe('Contacts that were changed or deleted.'),
  unchangedCount: z.number().int().default(0).describe('Contacts already in that state.'),
  failureCount: z.number().int().default(0).describe('Ids that are not contacts of the project.'),
  errors: z
    .array(z.object({ contactId: z.string(), message: z.string() }))
    .default([])
    .describe('One per failure.'),
});

export type ImportResult = z.output<typeof importResultSchema>;
export type BulkResult = z.output<typeof bulkResultSchema>;
