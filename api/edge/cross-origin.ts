import cors from '@koa/cors';
import type { EdgeMiddleware } from './context.ts';
import type { Route } from './route.ts';

const exposeHeaders = 'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After';
const keyedHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';
/** Seconds; browsers cap preflight caching at two hours. */
const maxAge = 7_200;

/**
 * CORS: routes declared `crossOrigin` are open to any website, the others only to a dashboard on another host,
 * with its cookie.
 *
 * @param dashboardUrl undefined without such a dashboard
 */
export function crossOrigin(routes: readonly Route[], dashboardUrl: string | undefined): EdgeMiddleware {
  const openPaths = new Set(routes.filter((route) => route.crossOrigin).map(({ path }) => path));
  // Errors are translated inside, so their answers keep these headers.
  const keepHeadersOnError = false;
  const toAnyone = cors({
    origin: '*',
    keepHeadersOnError,
    exposeHeaders,
    allowHeaders: keyedHeaders,
    maxAge,
  });
  if (dashboardUrl === undefined) {
    return (ctx, next) => (openPaths.has(ctx.path) ? toAnyone(ctx, next) : next());
  }
  const { origin } = new URL(dashboardUrl);
  const toDashboard = cors({
    origin: (ctx) => (ctx.get('Origin') === origin ? origin : ''),
    credentials: true,
    keepHeadersOnError,
    exposeHeaders,
    allowHeaders: `${keyedHeaders}, If-Match, X-Project-Id`,
    maxAge,
  });
  return (ctx, next) => (openPaths.has(ctx.path) ? toAnyone : toDashboard)(ctx, next);
}
