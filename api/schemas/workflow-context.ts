import { isStorableText, type JsonObject, jsonByteLength } from '../../core/json-value.ts';
import { jsonObjectSchema } from './json-object.ts';

const maxContextBytes = 64 * 1024;

export const workflowContextSchema = jsonObjectSchema
  .refine(
    (context) => jsonByteLength(context) <= maxContextBytes && Object.keys(context).every(isStorableText),
    {
      message: 'At most 64 KB of JSON are accepted',
      params: { code: 'too_big' },
    },
  )
  .transform((context): JsonObject => context);
