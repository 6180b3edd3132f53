import { DomainError, type ErrorCode } from '../../core/errors.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import { ClientGone, errorEnvelope, publicCodeOf, statusOf, toDomainError } from './error-response.ts';
import type { ErrorPage } from './route.ts';

/** For log and metrics: the client left before the answer (nginx's 499). */
const clientGoneStatus = 499;

/** Every 401 for a key names its scheme (RFC 9110, 11.6.1; RFC 6750, 3); some clients fail without it. */
const challenges: Partial<Record<ErrorCode, string>> = {
  MISSING_API_KEY: 'Bearer',
  INVALID_API_KEY: 'Bearer error="invalid_token"',
};

type AnswerError = (ctx: EdgeContext, error: DomainError) => void;

const envelope: AnswerError = (ctx, error) => {
  ctx.body = errorEnvelope(error, ctx.state.requestId);
};

export const legacyEnvelope: AnswerError = (ctx, error) => {
  if (ctx.status === 400) ctx.body = { error: error.message };
  else envelope(ctx, error);
};

export const isBrowser = (ctx: Pick<EdgeContext, 'accepts'>): boolean =>
  ctx.accepts('json', 'html') === 'html';

export const pageForBrowsers =
  (page: ErrorPage): AnswerError =>
  (ctx, error) =>
    isBrowser(ctx) ? page(ctx) : envelope(ctx, error);

/** Turns every thrown error into status, headers and an answer, by default the error envelope of the contract. */
export function answerErrors(answer: AnswerError = envelope): EdgeMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      ctx.state.failure = thrown;
      if (thrown instanceof ClientGone) {
        ctx.status = clientGoneStatus;
        return;
      }
      const error = toDomainError(thrown);
      ctx.status = statusOf(error.code);
      ctx.state.errorCode = publicCodeOf(error.code);
      const { retryAfterSeconds } = error;
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds));
      const challenge = challenges[error.code];
      if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge);
      // Don't read the rest of the body.
      if (error.code === 'PAYLOAD_TOO_LARGE') ctx.set('Connection', 'close');
      answer(ctx, error);
    }
  };
}

/**
 * 404 for an unknown path or method; `Allow` lists the methods of a known path. `OPTIONS` gets 204 with `Allow` alone.
 */
export function notServed(): EdgeMiddleware {
  return (ctx) => {
    const served = methodsOf(ctx);
    if (served.length === 0) throw new DomainError('NOT_FOUND', 'No such endpoint');
    ctx.set('Allow', [...served, 'OPTIONS'].join(', '));
    if (ctx.method !== 'OPTIONS') {
      throw new DomainError('NOT_FOUND', `This path does not support ${ctx.method}`);
    }
    ctx.status = 204;
  };
}

function methodsOf({ matched = [] }: EdgeContext): string[] {
  const methods = new Set(matched.flatMap((layer) => layer.methods));
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => methods.has(method));
}
