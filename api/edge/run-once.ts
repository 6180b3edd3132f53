import type { Next } from 'koa';
import type { Logger } from 'pino';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { isIdempotencyKey } from '../../core/idempotency-key.ts';
import { isNotApplied } from '../../db/database-errors.ts';
import type { Idempotency } from '../access/idempotency.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import { statusOf, toDomainError } from './error-response.ts';
import type { Route } from './route.ts';

/** Settled with this status, a claim frees its key for a retry. */
const refusedStatus = statusOf('RATE_LIMIT_EXCEEDED');

/** @throws DomainError `INVALID_IDEMPOTENCY_KEY` */
export const checkIdempotencyKey: EdgeMiddleware = (ctx, next) => {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && isIdempotencyKey(key))) return next();
  throw new DomainError(
    'INVALID_IDEMPOTENCY_KEY',
    'The Idempotency-Key must be 1 to 255 printable ASCII characters',
  );
};

/**
 * Runs a request with an `Idempotency-Key` once: claims the key before the handler and settles the claim with the
 * final status. A claim that can't be settled is logged; the answer is not affected.
 *
 * @throws DomainError `IDEMPOTENCY_KEY_REUSED`
 */
export function runOnce(route: Route, idempotency: Idempotency, logger: Logger): EdgeMiddleware {
  async function once(ctx: EdgeContext, owner: string, key: string, next: Next): Promise<void> {
    const request = `${ctx.method} ${ctx.routerPath}`;
    const scope = route.idempotent === 'byPath' ? `${ctx.method} ${ctx.path}` : null;
    const claim = await idempotency.claim(owner, key, request, scope);
    const { requestId } = ctx.state;
    const settle = (status: number, createdId: string | null) =>
      idempotency
        .settle(claim, status, createdId)
        .catch((err) => logger.warn({ err, requestId }, 'An Idempotency-Key could not be settled'));
    try {
      await next();
    } catch (error) {
      await settle(asksForRetry(error) ? refusedStatus : statusOf(toDomainError(error).code), null);
      throw error;
    }
    await settle(ctx.status, ctx.status === 201 ? idIn(ctx.body) : null);
  }

  return (ctx, next) => {
    const key = ctx.req.headers['idempotency-key'];
    const { project, user } = ctx.state;
    const owner = project?.id ?? user?.id;
    return typeof key === 'string' && owner !== undefined ? once(ctx, owner, key, next) : next();
  };
}

const record = z.object({ id: z.uuid() });
const createdAnswer = z.union([record, z.object({ data: record }).transform(({ data }) => data)]);

/** The id of a created record; null if the answer is not one record. */
function idIn(body: unknown): string | null {
  return createdAnswer.safeParse(body).data?.id ?? null;
}

// The request provably had no effect, and its answer asks for a retry, which uses the same key.
function asksForRetry(error: unknown): boolean {
  return toDomainError(error).retryAfterSeconds !== undefined && isNotApplied(error);
}
