import pg from 'pg';
import { onConnect, type StatementLimits } from './session-settings.ts';

/**
 * Restricts plans to index look-ups. A prepared statement keeps its plan: one made while a table fits in a page would
 * still scan it for each row minutes later, when the table has a million rows.
 */
const plannerSettings = `
  set enable_seqscan = off;
  set enable_mergejoin = off;
  set plan_cache_mode = force_generic_plan`;

export function createPreparedPool(
  config: pg.PoolConfig,
  limits: StatementLimits | undefined,
  warn: (message: string) => void,
): pg.Pool {
  const pool = new pg.Pool({ ...config, onConnect: onConnect(limits, plannerSettings) });
  pool.on('error', (error) => warn(`PostgreSQL pool error: ${error.message}`));
  // The listener keeps a connection that breaks while in use from ending the process: only its statement fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
