import Koa from 'koa';
import type { Logger } from 'pino';
import { publicApiUrl } from '../core/config/public-api-url.ts';
import type { Config } from '../core/config/schema.ts';
import { DomainError } from '../core/errors.ts';
import type { RequestSpan, Tracing } from '../runtime/tracing.ts';
import type { Edge } from './edge/create-edge.ts';
import { optionsHeaders } from './edge/cross-origin.ts';
import { ClientGone, errorEnvelope, toDomainError } from './edge/error-response.ts';
import { statusOf } from './edge/error-status.ts';
import { Exchange } from './edge/exchange.ts';
import type { ApiMetrics } from './edge/metrics.ts';
import { buildOpenapi } from './edge/openapi.ts';
import { createPipeline } from './edge/pipeline.ts';
import type { ReadinessChecks } from './edge/readiness.ts';
import { createReplyWriter, jsonReply, type Reply } from './edge/reply.ts';
import type { Route } from './edge/route.ts';
import { createRouter, type Router } from './edge/router.ts';
import { docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { openapiRoute } from './routes/openapi.ts';

/** Logged as the status of a request whose client left before it was answered. */
const clientGoneStatus = 499;
/** Asked every few seconds: no line of the log for each, and no span. */
const probes: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

export interface AppOptions<S> {
  config: Config;
  version: string;
  routes: readonly Route<S>[];
  services: S;
  edge: Edge;
  metrics: ApiMetrics;
  logger: Logger;
  readiness: ReadinessChecks;
  tracing?: Tracing | undefined;
}

/**
 * The API as a Koa application: the given routes, and beside them the documentation, health and metrics. Nothing
 * is started; serve `app.callback()` with `createApiServer`.
 */
export function createApp<S>(options: AppOptions<S>): Koa {
  const { config, edge, logger, metrics, tracing } = options;
  const apiUrl = publicApiUrl(config);
  const declared: Route<S>[] = [
    ...options.routes,
    ...healthRoutes({ readiness: options.readiness, registry: metrics.registry }),
  ];
  const document = buildOpenapi({ routes: declared, serverUrl: apiUrl, version: options.version });
  const routes: Route<S>[] = [...declared, openapiRoute(document), ...docsRoutes()];
  const pipeline = createPipeline({
    services: options.services,
    authenticate: edge.authenticate,
    projectLimiter: edge.projectLimiter,
    userLimiter: edge.userLimiter,
    addressLimiter: edge.addressLimiter,
    idempotency: edge.idempotency,
    validateResponses: config.VALIDATE_RESPONSES,
    warn: (message, err, exchange) => logger.warn({ err, requestId: exchange.id }, message),
  });
  const router = createRouter(routes.map((route) => ({ route, serve: pipeline(route) })));
  const dashboardOrigin =
    config.DASHBOARD_URL === undefined ? undefined : new URL(config.DASHBOARD_URL).origin;
  const write = createReplyWriter({ isHttps: apiUrl.startsWith('https:'), dashboardOrigin });

  function observe(exchange: Exchange, status: number, error: unknown, span: RequestSpan | undefined): void {
    const seconds = (performance.now() - exchange.startedAt) / 1000;
    metrics.observeRequest(exchange.method, exchange.route, status, seconds);
    if (status === 429) metrics.countRateLimited(exchange.route);
    span?.end({ route: exchange.route, status, requestId: exchange.id, projectId: exchange.projectId });
    const level = status >= 500 ? 'error' : probes.has(exchange.route) ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return;
    const facts = {
      requestId: exchange.id,
      method: exchange.method,
      route: exchange.route,
      status,
      ms: Math.round(seconds * 100_000) / 100,
      projectId: exchange.projectId,
      trace_id: span?.traceId,
    };
    if (status >= 500) logger.error({ ...facts, err: error }, 'request failed');
    else logger[level](facts, 'request');
  }

  const app = new Koa({ env: config.NODE_ENV });
  // Everything that a request can throw is answered below; what is left are connections that broke.
  app.on('error', (err) => logger.debug({ err }, 'a connection broke'));
  app.use(async (ctx) => {
    ctx.respond = false;
    const exchange = new Exchange(ctx.req, ctx.res, config.TRUST_PROXY);
    const span =
      tracing === undefined || probes.has(exchange.url)
        ? undefined
        : tracing.request(exchange.method, exchange.headers.traceparent);
    let reply: Reply;
    let failure: unknown;
    try {
      reply = await (span === undefined
        ? dispatch(router, exchange, dashboardOrigin)
        : span.run(() => dispatch(router, exchange, dashboardOrigin)));
    } catch (error) {
      if (error instanceof ClientGone) {
        observe(exchange, clientGoneStatus, undefined, span);
        return;
      }
      failure = error;
      reply = errorReply(exchange, error);
    } finally {
      exchange.release?.();
    }
    write(exchange, reply);
    observe(exchange, reply.status, failure, span);
  });
  return app;
}

function dispatch<S>(
  router: Router<S>,
  exchange: Exchange,
  dashboardOrigin: string | undefined,
): Promise<Reply> | Reply {
  if (exchange.method === 'OPTIONS') return answerOptions(router, exchange, dashboardOrigin);
  const match = router.find(exchange.method, exchange.url);
  if (match === 'malformed path')
    throw new DomainError('BAD_REQUEST', 'The path is not valid percent-encoding');
  if (match === undefined) return unmatched(router, exchange);
  const { route, serve } = match.entry;
  exchange.route = route.path;
  exchange.crossOrigin = route.crossOrigin === true;
  exchange.legacyErrors = route.legacyErrors === true;
  exchange.errorPage = route.errorPage;
  return serve(exchange, match.params);
}

function unmatched<S>(router: Router<S>, exchange: Exchange): Reply {
  const methods = router.methodsAt(exchange.url);
  const message = methods.length === 0 ? 'No such endpoint' : `${exchange.method} is not served at this path`;
  const reply = errorReply(exchange, new DomainError('NOT_FOUND', message));
  return methods.length === 0 ? reply : { ...reply, headers: { Allow: [...methods, 'OPTIONS'].join(', ') } };
}

function answerOptions<S>(router: Router<S>, exchange: Exchange, dashboardOrigin: string | undefined): Reply {
  const methods = router.methodsAt(exchange.url);
  if (methods.length === 0) return errorReply(exchange, new DomainError('NOT_FOUND', 'No such endpoint'));
  const matches = methods.map((method) => router.find(method, exchange.url));
  exchange.crossOrigin = matches.some(
    (match) => typeof match === 'object' && match.entry.route.crossOrigin === true,
  );
  const isDashboard = dashboardOrigin !== undefined && exchange.headers.origin === dashboardOrigin;
  return { status: 204, headers: optionsHeaders(methods, exchange.crossOrigin, isDashboard) };
}

function errorReply(exchange: Exchange, thrown: unknown): Reply {
  const error = toDomainError(thrown);
  const status = statusOf(error.code);
  if (error.code === 'PAYLOAD_TOO_LARGE') exchange.closeAfter = true;
  if (exchange.legacyErrors && status === 400) {
    return jsonReply(status, JSON.stringify({ error: error.message }));
  }
  const { retryAfterSeconds } = error;
  const headers = retryAfterSeconds === undefined ? undefined : { 'Retry-After': String(retryAfterSeconds) };
  if (exchange.errorPage !== undefined) {
    const page = exchange.errorPage(status, exchange);
    const contentType = 'text/html; charset=utf-8';
    return { status, contentType, body: page.body, headers: { ...page.headers, ...headers } };
  }
  return jsonReply(status, errorEnvelope(error, exchange.id), headers);
}
