import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/**
 * Whether every transaction that was open at `instant` has ended. New transactions then see everything committed up to
 * that instant, including rows written by concurrent transactions that did not see the change.
 */
export async function haveTransactionsEnded(em: Em, instant: Date): Promise<boolean> {
  const sql = `select 1 from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and xact_start <= $1
     limit 1`;
  const [open] = await query(em, z.unknown(), sql, [instant]);
  return open === undefined;
}
