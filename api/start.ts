import { once } from 'node:events';
import { requestLogTable } from '../analytics/tables/request-log.ts';
import { publicApiUrl } from '../core/config/urls.ts';
import { checkAppSecret } from '../runtime/check-app-secret.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { version } from '../runtime/version.ts';
import { pingTemporal } from '../temporal/client/connect.ts';
import type { ProcessResources } from '../temporal/client/open-temporal.ts';
import { createApp } from './app.ts';
import { closeApiServer, createApiServer } from './edge/api-server.ts';
import { createEdge } from './edge/create-edge.ts';
import type { ApiMetrics } from './edge/metrics.ts';
import { routes } from './routes/index.ts';
import { createRequestBuffer } from './services/request-buffer.ts';
import type { ServiceParts } from './services/service-context.ts';
import { createServices } from './services/services.ts';

const temporalCheckMs = 2_000;

export interface ApiParts extends ServiceParts {
  apiMetrics: ApiMetrics;
}

/**
 * Starts the API; it is listening when this resolves. Shutdown lets clients leave their connections, then
 * lets running requests finish.
 */
export async function startApi(resources: ProcessResources, parts: ApiParts, shutdown: Shutdown) {
  const { config, log, orm } = resources;
  await checkAppSecret(orm.em.fork(), config.APP_SECRET, log);
  const edge = createEdge({ config, em: orm.em.fork(), logger: log });
  edge.databaseListener.onCommands(resources.relay.wakeLane);
  edge.start();
  parts.metrics.watchTemporal((timeoutMs) => pingTemporal(resources.temporal, timeoutMs));
  shutdown.add('edge', () => edge.close());
  const services = createServices(resources, edge, parts);
  const requestBuffer = createRequestBuffer({
    write: (lines) => parts.clickhouse.insert(requestLogTable, lines),
    leftOut: parts.apiMetrics.countUnlogged,
    warn: (message, err) => log.warn({ err }, message),
  });
  shutdown.add('log of requests', requestBuffer.close);
  const app = createApp({
    config,
    version,
    routes,
    services,
    edge,
    metrics: parts.apiMetrics,
    logger: log,
    tracing: resources.tracing,
    requestBuffer,
    readiness: {
      postgres: () => orm.em.fork().execute('select 1'),
      temporal: () => pingTemporal(resources.temporal, temporalCheckMs),
      clickhouse: async () => {
        if (!(await parts.clickhouse.ping())) throw new Error('ClickHouse does not answer');
      },
    },
  });
  const server = createApiServer(app.callback());
  server.listen(config.PORT, config.HOST);
  await once(server, 'listening');
  const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1000;
  services.linkMailer.start();
  shutdown.add('links by email', services.linkMailer.stop);
  shutdown.add('API', () => closeApiServer(server, graceMs), graceMs);
  log.info({ url: publicApiUrl(config) }, 'the API listens');
  return { url: publicApiUrl(config), services, databaseListener: edge.databaseListener };
}
