/**
 * The `updated_at` of a change: `at`, but later than the one before, so that it identifies a version of the record. `at`
 * may come from a clock that is behind.
 */
export const laterThanSql = (at: string, before: string) =>
  `greatest(${at}::timestamptz, ${before} + interval '1 millisecond')`;
