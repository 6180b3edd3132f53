import { randomUUID } from 'node:crypto';
import { requestIdPattern } from '../../core/request-id.ts';
import type { EdgeMiddleware } from './context.ts';

export function requestId(): EdgeMiddleware {
  return (ctx, next) => {
    const sent = ctx.req.headers['x-request-id'];
    const id = typeof sent === 'string' && requestIdPattern.test(sent) ? sent : randomUUID();
    ctx.state.requestId = id;
    ctx.set('X-Request-Id', id);
    return next();
  };
}
