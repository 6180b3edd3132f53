/**
 * Table expression of one row, for the `from` of the first CTE of a statement: limits how long the statement waits for
 * a lock, without a round trip and behind a pooler as well.
 *
 * @param lockMs placeholder of the limit, in milliseconds as text; null for that of the session
 */
export const lockTimeoutSql = (lockMs: string) =>
  `(select set_config('lock_timeout', coalesce(${lockMs}, current_setting('lock_timeout')), true) offset 0)`;
