import { once } from 'node:events';
import { v7 as uuidv7 } from 'uuid';
import { withoutClickHouse } from '../analytics/clickhouse.ts';
import { createApp } from '../api/app.ts';
import { createApiServer } from '../api/edge/api-server.ts';
import { createEdge } from '../api/edge/create-edge.ts';
import { createApiMetrics } from '../api/edge/metrics.ts';
import { routes } from '../api/routes/index.ts';
import type { Services } from '../api/services/services.ts';
import { createServices } from '../api/services/services.ts';
import { createSnsNotificationsService } from '../api/services/sns-notifications.ts';
import { loadConfig } from '../core/config/load.ts';
import { createSnsVerifier } from '../providers/sns/verifier.ts';
import { createLogger, warnTo } from '../runtime/logger.ts';
import { createProductMetrics } from '../runtime/product-metrics.ts';
import { openResources } from '../runtime/resources.ts';
import { runProcess } from '../runtime/run-process.ts';
import { version } from '../runtime/version.ts';
import { openTemporal } from '../temporal/client/open-temporal.ts';

/**
 * The real API without the transactions of the hot requests: the cost of a request that writes nothing. Used only as a
 * limit to compare with.
 */
const log = createLogger(process.env.LOG_LEVEL ?? 'info');
await runProcess(log, async (shutdown) => {
  const config = loadConfig(process.env);
  const opened = await openResources(config, process.env, log, shutdown, 'edge');
  const resources = { ...opened, ...openTemporal(opened, shutdown) };
  const edge = createEdge({ config, em: resources.orm.em.fork(), logger: log });
  edge.start();
  shutdown.add('edge', () => edge.close());
  const apiMetrics = createApiMetrics();
  const metrics = createProductMetrics(apiMetrics.registry, resources.orm, warnTo(log));
  const parts = { apiMetrics, metrics, clickhouse: withoutClickHouse(), wakeJournal: () => undefined };
  const created = createServices(resources, edge, parts);
  const { SNS_TOPIC_ARNS: topicArns, SNS_LOCAL_HOST: localHost } = config;
  const services: Services = {
    ...created,
    track: { track: async () => ({ contactId: uuidv7(), eventId: uuidv7(), occurredAt: new Date() }) },
    send: {
      send: async (_projectId, body) => ({
        emails: body.to.map(({ email }) => ({ contactId: uuidv7(), contactEmail: email, emailId: uuidv7() })),
        occurredAt: new Date(),
      }),
    },
    snsNotifications: createSnsNotificationsService({
      verifier: createSnsVerifier({ topicArns, localHost }),
      providerEvents: { apply: async () => 'applied' },
      inbound: created.inbound,
      metrics,
    }),
  };
  const app = createApp({
    config,
    version,
    routes,
    services,
    edge,
    metrics: apiMetrics,
    logger: log,
    readiness: { postgres: () => resources.orm.em.fork().execute('select 1') },
  });
  const server = createApiServer(app.callback()).listen(config.PORT, config.HOST);
  await once(server, 'listening');
  shutdown.add('API', async () => {
    server.closeAllConnections();
    server.close();
  });
});
