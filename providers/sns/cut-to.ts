import { z } from 'zod';

/** Text truncated to a length in UTF-16 code units; never ends with half a surrogate pair. */
export const cutTo = (length: number) => z.string().transform((text) => text.slice(0, length).toWellFormed());
