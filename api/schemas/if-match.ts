import { z } from 'zod';

const version = z.iso.datetime().transform((text) => new Date(text));

/** An `updatedAt` as it was answered, in the quotes of an entity tag or without them. */
export const ifMatchHeadersSchema = z.object({
  'if-match': z
    .string()
    .transform((text) => text.replace(/^"(.*)"$/, '$1'))
    .pipe(version)
    .optional()
    .describe(
      'The `updatedAt` that the change is made to, in quotes: 409 when the record has changed since.',
    ),
});
