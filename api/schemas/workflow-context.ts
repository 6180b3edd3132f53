import { z } from 'zod';
import { isStorableText, type JsonObject, jsonByteLength } from '../../core/json-value.ts';

const maxContextBytes = 64 * 1024;

export const workflowContextSchema = z
  .record(z.string(), z.json())
  .refine(
    (context) => Object.keys(context).every(isStorableText) && jsonByteLength(context) <= maxContextBytes,
    {
      message: 'At most 64 KB of JSON are accepted',
      params: { code: 'too_big' },
    },
  )
  .transform((context): JsonObject => context);
