import { z } from 'zod';
import type { JsonValue } from '../../core/json-value.ts';

/**
 * An object of a body, which was JSON already. Not `z.json()`: it adds a schema without a name that contains itself to
 * the OpenAPI document, and generators of clients leave out each endpoint that refers to one.
 */
export const jsonObjectSchema = z.record(z.string(), z.custom<JsonValue>());
