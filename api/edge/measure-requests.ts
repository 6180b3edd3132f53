import { type EdgeMiddleware, routeOf } from './context.ts';
import type { ApiMetrics } from './metrics.ts';

export function measureRequests(metrics: ApiMetrics): EdgeMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    metrics.observeRequest(ctx.method, routeOf(ctx), ctx.status, (performance.now() - startedAt) / 1000);
  };
}
