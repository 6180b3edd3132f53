import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { queryFlagSchema } from './pagination.ts';

const maxBulkContacts = 1_000;

export const bulkBodySchema = z.object({
  contactIds: z
    .array(idSchema)
    .min(1)
    .max(maxBulkContacts)
    .describe('Repeated ids count once; ids that are not contacts of the project are failures.'),
});

export const queuedJobSchema = z.object({ message: z.string(), jobId: z.uuid() });

export const importQuerySchema = z.object({
  dryRun: queryFlagSchema.optional().describe('`true`: report what the import would do, without doing it.'),
});
