import cors from '@koa/cors';
import type { EdgeMiddleware } from './context.ts';
import type { Route } from './route.ts';

const keyedHeaders = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';
const toAll = {
  exposeHeaders: 'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After',
  /** Seconds; browsers cap preflight caching at two hours. */
  maxAge: 7_200,
  // Errors are translated inside, so their answers keep these headers.
  keepHeadersOnError: false,
};

/**
 * CORS: routes declared `crossOrigin` are open to any website, the others only to a dashboard on another host,
 * with its cookie.
 *
 * @param dashboardUrl undefined without such a dashboard
 */
export function crossOrigin(routes: readonly Route[], dashboardUrl: string | undefined): EdgeMiddleware {
  const openPaths = new Set(routes.filter((route) => route.crossOrigin).map(({ path }) => path));
  const toAnyone = cors({ ...toAll, origin: '*', allowHeaders: keyedHeaders });
  if (dashboardUrl === undefined) {
    return (ctx, next) => (openPaths.has(ctx.path) ? toAnyone(ctx, next) : next());
  }
  const { origin } = new URL(dashboardUrl);
  const toDashboard = cors({
    ...toAll,
    origin: (ctx) => (ctx.get('Origin') === origin ? origin : ''),
    credentials: true,
    allowHeaders: `${keyedHeaders}, If-Match, X-Project-Id`,
  });
  return (ctx, next) => (openPaths.has(ctx.path) ? toAnyone : toDashboard)(ctx, next);
}
