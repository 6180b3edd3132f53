import { z } from 'zod';

/** `limit` of cursor lists: 20 by default, larger values are clamped to 100. */
export const cursorLimitSchema = z.coerce
  .number()
  .int()
  .min(1)
  .default(20)
  .transform((limit) => Math.min(limit, 100));

/** A boolean of a query string. */
export const queryFlagSchema = z.enum(['true', 'false']).transform((value) => value === 'true');
