import { z } from 'zod';

const maxBulkContacts = 1_000;

export const bulkBodySchema = z.object({
  contactIds: z
    .array(z.uuid())
    .min(1)
    .max(maxBulkContacts)
    .describe('An id that is repeated counts once; one that is no contact of the project is a failure.'),
});

export const queuedJobSchema = z.object({ message: z.string(), jobId: z.uuid() });

export const jobParamsSchema = z.object({ jobId: z.uuid() });
