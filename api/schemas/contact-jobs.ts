import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';

const maxBulkContacts = 1_000;

export const bulkBodySchema = z.object({
  contactIds: z
    .array(idSchema)
    .min(1)
    .max(maxBulkContacts)
    .describe('An id that is repeated counts once; one that is no contact of the project is a failure.'),
});

export const queuedJobSchema = z.object({ message: z.string(), jobId: z.uuid() });

export const jobParamsSchema = z.object({ jobId: idSchema });
