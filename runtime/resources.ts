import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Config } from '../core/config/schema.ts';
import { createOrm, type Orm } from '../db/orm.ts';
import type { BillingProvider } from '../providers/billing/billing-provider.ts';
import { createTemporalClient } from '../temporal/client/connect.ts';
import { createDataConverter } from '../temporal/client/payload-codec.ts';
import { createRelay, type Relay } from '../temporal/client/relay.ts';
import { openBillingProvider } from './billing-provider.ts';
import { type EmailProviders, openEmailProviders } from './email-providers.ts';
import { warnTo } from './logger.ts';
import type { Shutdown } from './shutdown.ts';
import { type PoolRole, statementLimits } from './statement-limits.ts';
import { traceHandOvers } from './trace-hand-overs.ts';
import type { Tracing } from './tracing.ts';

/** What every process of the product holds open: API and worker alike, or both in one. */
export interface Resources extends EmailProviders {
  config: Config;
  /** The environment that the configuration came from; Temporal reads its own variables there. */
  environment: Record<string, string | undefined>;
  log: Logger;
  orm: Orm;
  temporal: Client;
  dataConverter: DataConverter | undefined;
  /** Not started yet: its table may not exist before `prepareDatabase`. */
  relay: Relay;
  tracing: Tracing | undefined;
  /** The payment processor; null where it is not configured. */
  billing: BillingProvider | null;
}

/** The pools of connections of a role; nothing is connected yet. */
export function openDatabase(config: Config, log: Logger, shutdown: Shutdown, role: PoolRole): Orm {
  const orm = createOrm({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    limits: statementLimits(config, role),
    warn: (message) => log.warn(message),
  });
  shutdown.add('database', () => orm.close());
  return orm;
}

/** Opens what a process needs; nothing has to answer yet. The shutdown closes it, the relay first. */
export function openResources(
  config: Config,
  environment: Record<string, string | undefined>,
  log: Logger,
  shutdown: Shutdown,
  role: PoolRole,
  tracing?: Tracing,
): Resources {
  const dataConverter = createDataConverter(config.TEMPORAL_PAYLOAD_KEY);
  const providers = openEmailProviders(config);
  shutdown.add('provider', () => providers.provider.close());
  const orm = openDatabase(config, log, shutdown, role);
  const temporal = createTemporalClient({ environment, dataConverter });
  shutdown.add('Temporal client', () => temporal.connection.close());
  const relay = createRelay({
    orm,
    client: temporal,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    warn: warnTo(log),
    around:
      tracing &&
      (({ lane, commands, workflowIds }, send) =>
        tracing.span(
          {
            name: 'relay',
            facts: {
              'posthaste.lane': lane,
              'posthaste.commands': commands,
              'temporal.workflow.ids': workflowIds,
            },
          },
          send,
        )),
  });
  shutdown.add('relay', () => relay.stop());
  const provider = tracing === undefined ? providers.provider : traceHandOvers(providers.provider, tracing);
  return {
    config,
    environment,
    log,
    orm,
    temporal,
    dataConverter,
    relay,
    tracing,
    provider,
    identities: providers.identities,
    billing: openBillingProvider(config),
  };
}
