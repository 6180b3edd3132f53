import { z } from 'zod';

/** Ids are stored and compared in lower case. */
export const idSchema = z.uuid().toLowerCase();
