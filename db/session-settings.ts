import pg from 'pg';

/** In milliseconds; 0 keeps the server's setting. */
export interface StatementLimits {
  statementMs: number;
  lockMs: number;
}

/** Ends transactions of a stalled process. A round of the relay waits for Temporal for 40 seconds at most. */
const idleTransactionMs = 120_000;

/** Limits that the operator set in the URL, for the role or for the database take precedence. */
function limitsSql({ statementMs, lockMs }: StatementLimits): string {
  return `select set_config(name, value, false)
    from (values ('statement_timeout', '${statementMs}'), ('lock_timeout', '${lockMs}'),
      ('idle_in_transaction_session_timeout', '${idleTransactionMs}')) as t(name, value)
    where current_setting(name) = '0'`;
}

/** Postgres detects within 30 seconds that a client's host has vanished, and frees its locks. */
const keepAliveSql =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

/** As long as the pools wait for a connection. */
const answerMs = 10_000;

/**
 * Statements for each new connection. Uses `SET`, because poolers reject start-up parameters.
 *
 * @param planner further statements for the connection
 */
export function onConnect(limits: StatementLimits | undefined, planner = '') {
  const text = [keepAliveSql, limits === undefined ? '' : limitsSql(limits), planner].join(';');
  const settings = { text, query_timeout: answerMs };
  return async (client: pg.ClientBase) => void (await client.query(settings));
}

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
