import { z } from 'zod';
import type { Em } from './orm.ts';
import { query } from './sql.ts';

/** The database's clock: due times set by it must not be compared with a clock that lags. */
export async function readClock(em: Em): Promise<Date> {
  const [row] = await query(em, z.object({ now: z.date() }), 'select clock_timestamp() as now');
  if (row === undefined) throw new Error('The database returned no time');
  return row.now;
}
