import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { eventually } from './eventually.ts';

/** Until somebody waits for the transaction. */
export const untilBlocking = (own: Em) =>
  eventually(
    () => sql(own, 'select from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'),
    (waiting) => waiting.length > 0,
  );
