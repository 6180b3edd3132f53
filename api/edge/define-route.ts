import type { z } from 'zod';
import type { Services } from '../services/services.ts';
import { createDefineRoute } from './route.ts';

/**
 * Declares one route. The middleware chain, the OpenAPI document and the types of the handler's `ctx` all derive
 * from it.
 */
export const defineRoute = createDefineRoute<Services>();

/** The answers of a route that always answers 200 with this JSON. */
export const ok = <Schema extends z.ZodType>(description: string, schema: Schema, example?: unknown) => ({
  200: { description, schema, example },
});

/** Likewise 201. */
export const created = <Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example?: unknown,
) => ({ 201: { description, schema, example } });
