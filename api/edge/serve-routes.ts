import Router from '@koa/router';
import type { Logger } from 'pino';
import { answerErrors, legacyEnvelope, pageForBrowsers } from './answer-errors.ts';
import { authenticate } from './authenticate.ts';
import { checkAnswer } from './check-answer.ts';
import type { AppContext, EdgeMiddleware, RequestState } from './context.ts';
import type { Edge } from './create-edge.ts';
import { limitRate } from './limit-rate.ts';
import { readBody } from './read-body.ts';
import type { Route } from './route.ts';
import { checkIdempotencyKey, runOnce } from './run-once.ts';
import { takePlace } from './take-place.ts';
import { readParameters, validateBody } from './validate.ts';
import { writeInPieces } from './write-in-pieces.ts';

export interface ChainOptions {
  edge: Edge;
  validateResponses: boolean;
  logger: Logger;
}

export function serveRoutes(routes: readonly Route[], options: ChainOptions) {
  // `specificity`: the pattern with fewer parameters wins, so `/contacts/fields` beats `/contacts/:id`.
  const router = new Router<RequestState, AppContext>({ sensitive: true, exclusive: 'specificity' });
  for (const route of routes) router.register(route.path, [route.method], chainOf(route, options));
  return router.routes();
}

/** The order of the middleware is the order of refusals, which is part of the contract. */
export function chainOf(route: Route, { edge, validateResponses, logger }: ChainOptions): EdgeMiddleware[] {
  return [
    route.errorPage && answerErrors(route.errorPage),
    route.browserErrorPage && answerErrors(pageForBrowsers(route.browserErrorPage)),
    route.legacyErrors && answerErrors(legacyEnvelope),
    authenticate(route, edge),
    limitRate(route, edge),
    route.idempotent && checkIdempotencyKey,
    (route.params ?? route.query ?? route.headers) && readParameters(route),
    route.body && readBody(route),
    route.body && validateBody(route.body, route.legacyErrors),
    takePlace(route, edge),
    route.idempotent && runOnce(route, edge.idempotency, logger),
    route.method === 'GET' && writeInPieces(),
    validateResponses && checkAnswer(route),
    handlerOf(route),
  ].filter((middleware): middleware is EdgeMiddleware => Boolean(middleware));
}

/** A handler sets the status itself only if its route declares several. */
function handlerOf({ responses, handler }: Route): EdgeMiddleware {
  const [status = 200, ...others] = Object.keys(responses).map(Number);
  const isOnly = status !== 200 && others.length === 0;
  return (ctx) => {
    if (isOnly) ctx.status = status;
    return handler(ctx, ctx.state);
  };
}
