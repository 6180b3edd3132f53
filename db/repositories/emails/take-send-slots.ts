import type { Em } from '../../orm.ts';
import { sql } from '../../sql.ts';

export interface SendSlots {
  /** Emails that may leave, at most as many as were asked for. */
  granted: number;
  /** When the first of them may leave, from now; 0 or less means at once. */
  startInMs: number;
  /** When asking again is worth it, if not all were granted. */
  retryInMs: number;
}

/** An idle bucket lets the emails of so many seconds out at once. */
const burstSeconds = 1;
/** What would leave later than this is not granted, so that no process sits on permits. */
const usualHorizonSeconds = 5;

/** Puts back permits of the bucket `key` that were taken and are of no use, because another bucket had none. */
export async function returnSendSlots(
  em: Em,
  key: string,
  count: number,
  ratePerSecond: number,
): Promise<void> {
  await sql(em, 'select return_send_slots($1, $2, $3)', [key, count, ratePerSecond]);
}

/**
 * Takes up to `wanted` permits of the bucket `key`, which fills at `ratePerSecond` (more than 0). Exact over
 * all processes: the row is the only truth, and one statement moves it.
 *
 * @param horizonSeconds what would leave later than this is not granted
 */
export async function takeSendSlots(
  em: Em,
  key: string,
  wanted: number,
  ratePerSecond: number,
  horizonSeconds = usualHorizonSeconds,
): Promise<SendSlots> {
  const [row] = await sql<SendSlots>(
    em,
    `select granted, start_in_ms as "startInMs", retry_in_ms as "retryInMs"
     from take_send_slots($1, $2, $3, $4, $5)`,
    [key, wanted, ratePerSecond, burstSeconds, horizonSeconds],
  );
  if (row === undefined) throw new Error('The throttle answered no row');
  return row;
}
