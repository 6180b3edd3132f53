import { DomainError } from '../../core/errors.ts';
import { addressSubject } from '../access/address-subject.ts';
import type { RateLimitState } from '../access/rate-limiter.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import type { Edge } from './create-edge.ts';
import type { Route } from './route.ts';

/**
 * Counts the request against its project, or its user and client address, and sets the `RateLimit-*` headers. A disabled
 * project's request is counted, then refused before the limit is enforced.
 *
 * @throws DomainError `PROJECT_DISABLED`, `RATE_LIMIT_EXCEEDED`
 */
export function limitRate(route: Route, { limiters }: Edge): EdgeMiddleware {
  async function take(ctx: EdgeContext): Promise<RateLimitState | undefined> {
    const { project, user } = ctx.state;
    if (project !== null) return limiters.project?.take(project.id);
    const byAddress = route.limitByAddress ? limiters.address?.take(addressSubject(ctx.ip)) : undefined;
    const byUser = user === null ? undefined : limiters.user?.take(`user ${user.id}`);
    if (byAddress === undefined || byUser === undefined) return byAddress ?? byUser;
    return tighter(await Promise.all([byAddress, byUser]));
  }

  return async (ctx, next) => {
    const state = await take(ctx);
    if (state !== undefined) {
      ctx.set({
        'RateLimit-Limit': String(state.limit),
        'RateLimit-Remaining': String(state.remaining),
        'RateLimit-Reset': String(state.resetSeconds),
      });
    }
    const { project } = ctx.state;
    if (route.refuseDisabledProject && project?.disabled) {
      const details = { reason: project.disabledReason };
      throw new DomainError('PROJECT_DISABLED', 'This project is disabled', { details });
    }
    if (state?.allowed === false) {
      const retryAfterSeconds = state.resetSeconds;
      throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterSeconds });
    }
    return next();
  };
}

function tighter([one, other]: [RateLimitState, RateLimitState]): RateLimitState {
  if (one.allowed !== other.allowed) return one.allowed ? other : one;
  return one.remaining < other.remaining ? one : other;
}
