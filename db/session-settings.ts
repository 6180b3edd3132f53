import type { ClientBase } from 'pg';

/** How long a statement of a pool may run and wait for a lock. */
export interface StatementLimits {
  /** Milliseconds; 0 leaves it to the server. */
  statementMs: number;
  /** Milliseconds; 0 leaves it to the server. */
  lockMs: number;
}

/** What the operator has set in the URL, for the role or the database wins. */
function limitsSql({ statementMs, lockMs }: StatementLimits): string {
  return `select set_config(name, value, false)
    from (values ('statement_timeout', '${statementMs}'), ('lock_timeout', '${lockMs}')) as t(name, value)
    where current_setting(name) = '0'`;
}

/**
 * What a pool runs on each new connection. `SET` and not parameters of the start-up, which poolers refuse.
 *
 * @param planner further statements for the connection
 */
export function onConnect(limits: StatementLimits | undefined, planner = '') {
  const text = [limits === undefined ? '' : limitsSql(limits), planner]
    .filter((part) => part !== '')
    .join(';');
  return text === '' ? undefined : async (client: ClientBase) => void (await client.query(text));
}
