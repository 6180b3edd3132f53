import type { Config } from '../core/config/schema.ts';
import type { StatementLimits } from '../db/session-settings.ts';

/** What a pool of connections is for: requests that somebody waits for, or work in the background. */
export type PoolRole = 'edge' | 'worker';

/** Activities are tried again, and only have to let go of what others need. */
const workerLockMs = 60_000;

export function statementLimits(config: Config, role: PoolRole): StatementLimits {
  return role === 'edge'
    ? {
        statementMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
        lockMs: config.DATABASE_LOCK_TIMEOUT_SECONDS * 1000,
      }
    : { statementMs: config.DATABASE_WORKER_STATEMENT_TIMEOUT_SECONDS * 1000, lockMs: workerLockMs };
}
