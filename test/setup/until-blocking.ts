import type { Em } from '../../db/orm.ts';
import { sql } from '../../db/testing/sql.ts';
import { eventually } from './eventually.ts';

/** Waits until other sessions wait for a lock of this transaction. @param count how many */
export const untilBlocking = (own: Em, count = 1) =>
  eventually(
    () => sql(own, 'select distinct pid from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'),
    (waiting) => waiting.length >= count,
  );

/** Waits until so many sessions wait for a lock: of this transaction, or of a session that waits itself. */
export const untilWaiting = (own: Em, count: number) =>
  eventually(
    // Not from `pg_stat_activity`, of which a transaction keeps its first copy.
    () =>
      sql(
        own,
        `select distinct pid from pg_locks
         where database = (select oid from pg_database where datname = current_database())
           and cardinality(pg_blocking_pids(pid)) > 0`,
      ),
    (waiting) => waiting.length >= count,
  );
