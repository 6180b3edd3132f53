import { isStorableText, type JsonObject, jsonByteLength } from '../../core/json-value.ts';
import { refusal } from '../../core/zod-issues.ts';
import { jsonObjectSchema } from './json-object.ts';

const maxContextBytes = 64 * 1024;

export const workflowContextSchema = jsonObjectSchema
  .refine(
    (context) => jsonByteLength(context) <= maxContextBytes && Object.keys(context).every(isStorableText),
    refusal('At most 64 KB of JSON are accepted', 'too_big'),
  )
  .transform((context): JsonObject => context);
