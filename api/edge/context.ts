import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { RequestCredential } from '../../analytics/tables/request-log.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { ApiProject } from '../../db/statements/access/find-callers.ts';
import type { SessionUser } from '../access/identity.ts';

export interface RequestState {
  requestId: string;
  project: ApiProject | null;
  user: SessionUser | null;
  // Set once validated.
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  // What was thrown, for the access log.
  failure: unknown;
  errorCode: ErrorCode | undefined;
  credential: RequestCredential | undefined;
  traceId: string | undefined;
}

export interface AppContext {
  services: unknown;
  isHttps: boolean;
  params: Readonly<Record<string, string | undefined>>;
  routerPath?: string;
  // From `@koa/router`: layers whose path matches, for any method.
  matched?: RouterContext['matched'];
}

export type EdgeContext = Koa.ParameterizedContext<RequestState, AppContext>;
export type EdgeMiddleware = Koa.Middleware<RequestState, AppContext>;

/** The route pattern, such as `/contacts/:id`; never the path, which may hold addresses or tokens. */
export function routeOf(ctx: EdgeContext): string {
  return ctx.routerPath ?? 'unmatched';
}

/** Polled every few seconds: logged at debug level and not traced. */
export const probes: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);
