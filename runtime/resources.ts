import type { Logger } from 'pino';
import type { Config } from '../core/config/schema.ts';
import { createOrm, type DatabaseOptions, type Orm } from '../db/orm.ts';
import type { StatementLimits } from '../db/session-settings.ts';
import type { BillingProvider } from '../providers/billing/stripe.ts';
import { openBillingProvider } from './billing-provider.ts';
import { type EmailProviders, openEmailProviders } from './email-providers.ts';
import type { Tracing } from './otlp-tracing.ts';
import type { Shutdown } from './shutdown.ts';
import { traceHandOvers } from './trace-hand-overs.ts';

export interface Resources extends EmailProviders {
  config: Config;
  /** Source of the configuration; Temporal reads its own variables from it. */
  environment: Record<string, string | undefined>;
  log: Logger;
  orm: Orm;
  tracing: Tracing | undefined;
  billing: BillingProvider | null;
}

export function databaseAddress(config: Config): Pick<DatabaseOptions, 'url' | 'isPooler'> {
  const pooler = config.DATABASE_POOLER_URL;
  return { url: pooler ?? config.DATABASE_URL, isPooler: pooler !== undefined };
}

export function openDatabase(config: Config, log: Logger, shutdown: Shutdown, role: PoolRole): Orm {
  const orm = createOrm({
    ...databaseAddress(config),
    poolSize: config.DATABASE_POOL_SIZE,
    limits: statementLimits(config, role),
    validateRows: config.VALIDATE_ROWS,
    warn: (message) => log.warn(message),
  });
  shutdown.add('database', () => orm.close());
  return orm;
}

export async function openResources(
  config: Config,
  environment: Record<string, string | undefined>,
  log: Logger,
  shutdown: Shutdown,
  role: PoolRole,
  tracing?: Tracing,
): Promise<Resources> {
  const providers = await openEmailProviders(config);
  shutdown.add('provider', () => providers.provider.close());
  return {
    config,
    environment,
    log,
    orm: openDatabase(config, log, shutdown, role),
    tracing,
    provider: tracing === undefined ? providers.provider : traceHandOvers(providers.provider, tracing),
    identities: providers.identities,
    billing: await openBillingProvider(config),
  };
}

export type PoolRole = 'edge' | 'worker';

/** Activities are retried, so they only need to stop blocking others eventually. */
const workerLockMs = 60_000;

export function statementLimits(config: Config, role: PoolRole): StatementLimits {
  return role === 'edge'
    ? {
        statementMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
        lockMs: config.DATABASE_LOCK_TIMEOUT_SECONDS * 1000,
      }
    : { statementMs: config.DATABASE_WORKER_STATEMENT_TIMEOUT_SECONDS * 1000, lockMs: workerLockMs };
}
