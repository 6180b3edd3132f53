import type { ClientBase } from 'pg';

/** In milliseconds; 0 keeps the server's setting. */
export interface StatementLimits {
  statementMs: number;
  lockMs: number;
}

/** Limits that the operator set in the URL, for the role or for the database take precedence. */
function limitsSql({ statementMs, lockMs }: StatementLimits): string {
  return `select set_config(name, value, false)
    from (values ('statement_timeout', '${statementMs}'), ('lock_timeout', '${lockMs}')) as t(name, value)
    where current_setting(name) = '0'`;
}

/**
 * Statements for each new connection. Uses `SET`, because poolers reject start-up parameters.
 *
 * @param planner further statements for the connection
 */
export function onConnect(limits: StatementLimits | undefined, planner = '') {
  const text = [limits === undefined ? '' : limitsSql(limits), planner]
    .filter((part) => part !== '')
    .join(';');
  return text === '' ? undefined : async (client: ClientBase) => void (await client.query(text));
}
