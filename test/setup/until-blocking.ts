import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { eventually } from './eventually.ts';

/** Waits until other sessions wait for a lock of this transaction. @param count how many */
export const untilBlocking = (own: Em, count = 1) =>
  eventually(
    () => sql(own, 'select distinct pid from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'),
    (waiting) => waiting.length >= count,
  );
