import Koa from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../core/config/schema.ts';
import { publicApiUrl } from '../core/config/urls.ts';
import type { Tracing } from '../runtime/otlp-tracing.ts';
import { serveDashboard } from './dashboard/serve-dashboard.ts';
import { answerErrors, notServed } from './edge/answer-errors.ts';
import type { RequestState } from './edge/context.ts';
import type { Edge } from './edge/create-edge.ts';
import { crossOrigin } from './edge/cross-origin.ts';
import { drainUnreadBody } from './edge/drain-body.ts';
import { AnswerBroken } from './edge/error-response.ts';
import { serveHotRoutes } from './edge/hot-routes.ts';
import type { ApiMetrics } from './edge/metrics.ts';
import { readablePath } from './edge/readable-path.ts';
import { reportRequests } from './edge/report-requests.ts';
import { requestId } from './edge/request-id.ts';
import type { Route } from './edge/route.ts';
import { noStore, securityHeaders } from './edge/security-headers.ts';
import { serveRoutes } from './edge/serve-routes.ts';
import { traceRequests } from './edge/trace-requests.ts';
import { buildOpenapi } from './openapi/document.ts';
import { showNotice } from './pages/page.ts';
import { docsRoutes } from './routes/docs.ts';
import { healthRoutes } from './routes/health.ts';
import { openapiRoute } from './routes/openapi.ts';
import type { ReadinessChecks } from './services/readiness.ts';
import type { RequestBuffer } from './services/request-buffer.ts';

export interface AppOptions {
  config: Config;
  version: string;
  routes: readonly Route[];
  services: unknown;
  edge: Edge;
  metrics: ApiMetrics;
  logger: Logger;
  readiness: ReadinessChecks;
  tracing?: Tracing | undefined;
  requestBuffer?: RequestBuffer;
}

/**
 * Builds the Koa application: the given routes plus documentation, health and metrics. It starts nothing; serve
 * `app.callback()` with `createApiServer`.
 */
export function createApp(options: AppOptions): Koa<RequestState> {
  const { config, edge, logger, metrics, tracing } = options;
  const apiUrl = publicApiUrl(config);
  const isHttps = apiUrl.startsWith('https:');
  const declared = [
    ...options.routes,
    ...healthRoutes({ readiness: options.readiness, registry: metrics.registry }),
  ];
  const document = () => buildOpenapi({ routes: declared, serverUrl: apiUrl, version: options.version });
  const routes = [...declared, openapiRoute(document), ...docsRoutes()];

  const chain = { edge, logger, validateResponses: config.VALIDATE_RESPONSES };

  // Only the last entry of X-Forwarded-For comes from our own proxy; the client can forge the others.
  const app = new Koa<RequestState>({ env: config.NODE_ENV, proxy: config.TRUST_PROXY, maxIpsCount: 1 });
  app.context.services = options.services;
  app.context.isHttps = isHttps;
  // `answerErrors()` answers whatever a request throws; only broken connections and streamed answers arrive here.
  app.on('error', (err: Error, { state }: { state: RequestState }) => {
    if (!(err instanceof AnswerBroken)) return logger.debug({ err }, 'a connection broke');
    // Koa reports a stream that failed twice.
    if (state.failure !== err) logger.error({ requestId: state.requestId, err }, 'an answer broke');
    state.failure = err;
  });

  app.use(requestId());
  if (tracing !== undefined) app.use(traceRequests(tracing));
  app.use(reportRequests(options));
  app.use(drainUnreadBody());
  app.use(securityHeaders(isHttps));
  app.use(noStore());
  app.use(crossOrigin(routes, config.DASHBOARD_URL));
  app.use(answerErrors());
  app.use(serveHotRoutes(routes, chain));
  app.use(readablePath((ctx) => showNotice(ctx, 'page.invalidLink')));
  app.use(serveDashboard(config.DASHBOARD_DIR));
  app.use(serveRoutes(routes, chain));
  app.use(notServed());
  return app;
}
