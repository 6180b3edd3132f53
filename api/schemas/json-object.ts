import { z } from 'zod';
import type { JsonValue } from '../../core/json-value.ts';

/**
 * An object in a body, which has already been parsed as JSON. Not `z.json()`: it adds an unnamed recursive schema to
 * the OpenAPI document, and client generators skip every endpoint that refers to one.
 */
export const jsonObjectSchema = z.record(z.string(), z.custom<JsonValue>());
