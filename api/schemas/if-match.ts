import { z } from 'zod';

const version = z.iso.datetime().transform((text) => new Date(text));

/** An `updatedAt` as it was answered, in the quotes of an entity tag or without them. */
const ifMatchHeaders = (record: string) =>
  z.object({
    'if-match': z
      .string()
      .transform((text) => text.replace(/^"(.*)"$/, '$1'))
      .pipe(version)
      .optional()
      .describe(
        `The \`updatedAt\` of the ${record} that the change is made to, in quotes: 409 when it has changed since.`,
      ),
  });

export const ifMatchHeadersSchema = ifMatchHeaders('record');
export const ifMatchWorkflowHeadersSchema = ifMatchHeaders('workflow');
