import type { Tracing } from '../../runtime/otlp-tracing.ts';
import { type EdgeMiddleware, probes, routeOf } from './context.ts';

export function traceRequests(tracing: Tracing): EdgeMiddleware {
  return async (ctx, next) => {
    if (probes.has(ctx.path)) return next();
    const span = tracing.request(ctx.method, ctx.headers.traceparent);
    ctx.state.traceId = span.traceId;
    await span.run(next);
    const { requestId, project } = ctx.state;
    span.end({ route: routeOf(ctx), status: ctx.status, requestId, projectId: project?.id ?? null });
  };
}
