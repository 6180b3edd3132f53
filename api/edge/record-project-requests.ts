import type { RequestBuffer } from '../services/request-buffer.ts';
import { type EdgeMiddleware, routeOf } from './context.ts';

/** Logs each request of a known project for its developers, without path, query, body or key. */
export function recordProjectRequests(buffer: RequestBuffer): EdgeMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const { project, requestId, errorCode, credential } = ctx.state;
    if (!project || credential === undefined) return;
    buffer.add({
      projectId: project.id,
      endedAtMs: Date.now(),
      requestId,
      method: ctx.method,
      route: routeOf(ctx),
      status: ctx.status,
      errorCode: errorCode ?? null,
      credential,
      durationMs: performance.now() - startedAt,
    });
  };
}
