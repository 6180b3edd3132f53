import type { Logger } from 'pino';
import { type EdgeMiddleware, probes, routeOf } from './context.ts';

/** Logs one line per request, without body, path, query, keys or cookies; 5xx lines carry the error. */
export function accessLog(logger: Logger): EdgeMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const { status } = ctx;
    const route = routeOf(ctx);
    const level = status >= 500 ? 'error' : probes.has(route) ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    const facts = {
      requestId: ctx.state.requestId,
      method: ctx.method,
      route,
      status,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      projectId: ctx.state.project?.id ?? null,
      trace_id: ctx.state.traceId,
    };
    if (status >= 500) logger.error({ ...facts, err: ctx.state.failure }, 'request failed');
    else logger[level](facts, 'request');
  };
}
