import type { Config } from '../core/config/schema.ts';
import type { StatementLimits } from '../db/session-settings.ts';

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
