import { z } from 'zod';
import type { JsonObject } from '../../core/json-value.ts';

/**
 * An object in a body, which has already been parsed as JSON. Not `z.json()`: it adds an unnamed recursive schema to
 * the OpenAPI document, and client generators skip every endpoint that refers to one.
 */
export const jsonObjectSchema = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    message: 'Must be an object',
    params: { code: 'invalid_type' },
  })
  .meta({ type: 'object', additionalProperties: true });
