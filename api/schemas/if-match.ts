import { z } from 'zod';

const version = z.iso.datetime().transform((text) => new Date(text));

/** An `updatedAt` as returned, with or without the quotes of an entity tag. */
const ifMatchHeaders = (record: string) =>
  z.object({
    'if-match': z
      .string()
      .transform((text) => text.replace(/^"(.*)"$/, '$1'))
      .pipe(version)
      .optional()
      .describe(`The \`updatedAt\` of the ${record} to change, in quotes; 409 when it has changed since.`),
  });

export const ifMatchHeadersSchema = ifMatchHeaders('record');
export const ifMatchWorkflowHeadersSchema = ifMatchHeaders('workflow');
