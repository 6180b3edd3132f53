const earliest = new Date('0001-01-01T00:00:00.000Z');
const latest = new Date('9999-12-31T23:59:59.999Z');

/**
 * Clamps an instant to the years 1 to 9999. A `Date` reaches further, but arithmetic on it overflows,
 * Postgres and Temporal reject it, and its ISO form differs.
 */
export function boundedInstant(instant: Date): Date {
  if (instant < earliest) return earliest;
  return instant > latest ? latest : instant;
}
