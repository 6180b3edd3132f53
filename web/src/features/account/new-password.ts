import { z } from 'zod';

/** The API's limits, checked before the request. */
export const newPassword = z
  .string()
  .min(10, 'Use at least 10 characters.')
  .max(256, 'Use at most 256 characters.');
