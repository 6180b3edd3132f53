import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { eventually } from './eventually.ts';

/** Waits until another session waits for a lock of this transaction. */
export const untilBlocking = (own: Em) =>
  eventually(
    () => sql(own, 'select from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'),
    (waiting) => waiting.length > 0,
  );
