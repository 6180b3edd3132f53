import type { ProjectSlots } from '../services/project-slots.ts';
import type { EdgeMiddleware } from './context.ts';
import { ClientGone } from './error-response.ts';

/**
 * Limits how many writes of a project, or of a user outside of one, and of all of them together run at a time in this
 * process; others wait.
 *
 * @throws DomainError `RATE_LIMIT_EXCEEDED` when too many of the project wait, `SERVICE_UNAVAILABLE` when its turn does
 * not come in time
 * @throws ClientGone when the client has left meanwhile: it may repeat the call, which then must not run twice
 */
export function shareWrites({ run }: ProjectSlots): EdgeMiddleware {
  return (ctx, next) => {
    const owner = ctx.state.project?.id ?? ctx.state.user?.id;
    if (owner === undefined) return next();
    return run(owner, () => {
      if (ctx.res.destroyed) throw new ClientGone('The client left before its turn');
      return next();
    });
  };
}
