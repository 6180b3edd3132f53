import { z } from 'zod';
import type { Em } from './orm.ts';
import { queryValue } from './sql.ts';

/** The database's clock: due times set by it must not be compared with a clock that lags. */
export function readClock(em: Em): Promise<Date> {
  return queryValue(em, z.date(), 'select clock_timestamp() as now');
}
