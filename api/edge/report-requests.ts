import type { Logger } from 'pino';
import type { RequestBuffer } from '../services/request-buffer.ts';
import { type EdgeMiddleware, probes, routeOf } from './context.ts';
import type { ApiMetrics } from './metrics.ts';

interface Reports {
  metrics: ApiMetrics;
  logger: Logger;
  /** For the developers of a project. */
  requestBuffer?: RequestBuffer | undefined;
}

/** Reports each answer, without body, path, query, keys or cookies; the access log has the error of a 5xx. */
export function reportRequests({ metrics, logger, requestBuffer }: Reports): EdgeMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const durationMs = performance.now() - startedAt;
    const { method, status } = ctx;
    const route = routeOf(ctx);
    const { requestId, project, errorCode = null, credential, traceId, failure } = ctx.state;
    const projectId = project?.id ?? null;
    const answer = { requestId, projectId, method, route, status };

    metrics.observeRequest(method, route, status, durationMs / 1000);
    if (projectId !== null && credential !== undefined) {
      requestBuffer?.add({ ...answer, projectId, errorCode, credential, durationMs, endedAtMs: Date.now() });
    }
    const level = status >= 500 ? 'error' : probes.has(route) ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    const facts = { ...answer, ms: Math.round(durationMs * 100) / 100, trace_id: traceId };
    if (status >= 500) logger.error({ ...facts, err: failure }, 'request failed');
    else logger[level](facts, 'request');
  };
}
