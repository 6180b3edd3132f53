import { z } from 'zod';

/** Length in characters; longer passwords would only cost hashing time. */
export const newPasswordSchema = z.string().min(10).max(256);
