import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

/** A transaction id above those of all transactions that began to write before the call. */
export async function writersBarrier(em: Em): Promise<string> {
  const row = z.object({ barrier: z.string() });
  const [answer] = await query(em, row, 'select pg_snapshot_xmax(pg_current_snapshot())::text as barrier');
  if (answer === undefined) throw new Error('The barrier statement returned no row');
  return answer.barrier;
}

/**
 * Whether all transactions below a barrier have ended. All later writes then know what was committed before the barrier
 * was taken, and all later snapshots see what was written without knowing it.
 */
export async function haveWritersEnded(em: Em, barrier: string): Promise<boolean> {
  const [answer] = await query(
    em,
    z.object({ ended: z.boolean() }),
    'select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as ended',
    [barrier],
  );
  return answer?.ended ?? false;
}
