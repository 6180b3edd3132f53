import type { ClientBase } from 'pg';

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
  return async (client: ClientBase) => void (await client.query(settings));
}
