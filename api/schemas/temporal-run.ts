import { z } from 'zod';

export const temporalUrlSchema = z
  .string()
  .nullable()
  .describe('Its page in the Temporal UI, where `TEMPORAL_UI_URL` is set.');
