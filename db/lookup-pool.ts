import pg from 'pg';
import { onConnect, type StatementLimits } from './session-settings.ts';

/**
 * The planner of these connections knows look-ups by index only. A prepared statement keeps its plan while tables
 * grow: one made when a table had a page would read the whole of it for each row, minutes later, with a million.
 */
const plannerSettings = `
  set enable_seqscan = off;
  set enable_mergejoin = off;
  set plan_cache_mode = force_generic_plan`;

/** Connections for prepared statements, beside those of the object-relational mapper. */
export function createLookupPool(
  config: pg.PoolConfig,
  limits: StatementLimits | undefined,
  warn: (message: string) => void,
): pg.Pool {
  const pool = new pg.Pool({ ...config, onConnect: onConnect(limits, plannerSettings) });
  pool.on('error', (error) => warn(`PostgreSQL pool error: ${error.message}`));
  // A connection that breaks while it is in use fails its statement; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
