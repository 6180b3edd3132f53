import { z } from 'zod';
import { idSchema } from '../../core/id-schema.ts';
import { recordOf } from '../../core/record-of.ts';
import type {
  AuthKind,
  Declaration,
  HandlerContext,
  HandlerState,
  HttpMethod,
  Responses,
  Route,
} from './route.ts';

/**
 * Declares one route by method and path, such as `GET /contacts/:id`. The middleware chain, the OpenAPI document and
 * the types of the handler's `ctx` all derive from it.
 *
 * @throws Error at start when path and `params` name different parameters
 */
export function defineRoute<
  Call extends `${HttpMethod} /${string}`,
  const R extends Responses,
  Auth extends AuthKind = 'secretKey',
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Headers extends z.ZodType | undefined = undefined,
>(
  call: Call,
  definition: Declaration<
    Auth,
    Params,
    Query,
    Body,
    Headers,
    R,
    HandlerContext<HandlerState<Call, Auth, Params, Query, Body, Headers>, NoInfer<R>>
  >,
): Route {
  const [method, path = ''] = call.split(' ');
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const ids = names.length === 0 ? undefined : z.object(recordOf(names, () => idSchema));
  const { params = ids } = definition;
  const declared = Object.keys(params?.shape ?? {});
  if (names.toSorted().join() !== declared.toSorted().join()) {
    throw new Error(`${call}: path and params name different parameters`);
  }
  // as: the chain calls a handler only with state that its route's schemas have accepted.
  return { method, path, auth: 'secretKey', tags: [], ...definition, params } as unknown as Route;
}

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
