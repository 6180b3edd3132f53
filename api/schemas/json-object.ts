import { z } from 'zod';
import { isPlainObject, type JsonObject } from '../../core/json-value.ts';
import { refusal } from '../../core/zod-issues.ts';

/** An object in an answer. */
export const anyObject = z.record(z.string(), z.unknown());

/**
 * An object in a body, which has already been parsed as JSON. Not `z.json()`: it adds an unnamed recursive schema to
 * the OpenAPI document, and client generators skip every endpoint that refers to one.
 */
export const jsonObjectSchema = z
  .custom<JsonObject>(isPlainObject, refusal('Must be an object', 'invalid_type'))
  .meta({ type: 'object', additionalProperties: true });
