import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';

/** A transaction id above those of all transactions that began to write before the call. */
export function writersBarrier(em: Em): Promise<string> {
  return queryValue(em, z.string(), 'select pg_snapshot_xmax(pg_current_snapshot())::text as barrier');
}

/**
 * Whether all transactions below a barrier have ended. All later writes then know what was committed before the barrier
 * was taken, and all later snapshots see what was written without knowing it.
 */
export function haveWritersEnded(em: Em, barrier: string): Promise<boolean> {
  const sql = 'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as ended';
  return queryValue(em, z.boolean(), sql, [barrier]);
}
