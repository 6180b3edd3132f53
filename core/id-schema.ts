import { z } from 'zod';

/** An id that a request names, in upper or lower case; read in lower case, as ids are stored and compared. */
export const idSchema = z.uuid().toLowerCase();
