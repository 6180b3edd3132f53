import { z } from 'zod';
import type { operations } from '../../api/schema.d.ts';
import { periodSearchSchema, toPeriodQuery } from '../../ui/period.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const statusText = z.string().regex(/^([2-5]xx|[1-5]\d\d)$/);
const routeText = z.string().max(255).startsWith('/');
const requestIdText = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/);

/** The URL of the request log. Without `by`, it shows requests with an API key. */
export const requestSearchSchema = periodSearchSchema.extend({
  // An exact status is a number in the URL.
  status: z.coerce.string().pipe(statusText).optional().catch(undefined),
  method: z.enum(methods).optional().catch(undefined),
  route: routeText.optional().catch(undefined),
  requestId: z.coerce.string().pipe(requestIdText).optional().catch(undefined),
  by: z.enum(['dashboard', 'all']).optional().catch(undefined),
});

export type RequestSearch = z.output<typeof requestSearchSchema>;

export const isRoute = (text: string): boolean => routeText.safeParse(text).success;
export const isRequestId = (text: string): boolean => requestIdText.safeParse(text).success;

type RequestsQuery = NonNullable<operations['getRequests']['parameters']['query']>;

const credentials = { keys: 'publicKey,secretKey', dashboard: 'session', all: undefined };

export function toRequestsQuery(search: RequestSearch): RequestsQuery {
  const { status, method, route, requestId, by = 'keys', ...period } = search;
  const credential = credentials[by];
  return {
    ...(status && { status }),
    ...(method && { method }),
    ...(route && { route }),
    ...(requestId && { requestId }),
    ...(credential && { credential }),
    ...toPeriodQuery(period),
    limit: 50,
  };
}

export function isFiltered({ by: _, ...filters }: RequestSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}
