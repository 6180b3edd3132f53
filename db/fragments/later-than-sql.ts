/**
 * The `updated_at` of a change: `at`, but always later than the previous value, so that it identifies a version of the
 * record even when `at` comes from a clock that lags.
 */
export const laterThanSql = (at: string, before: string) =>
  `greatest(${at}::timestamptz, ${before} + interval '1 millisecond')`;
