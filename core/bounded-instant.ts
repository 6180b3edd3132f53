const earliest = new Date('0001-01-01T00:00:00.000Z');
const latest = new Date('9999-12-31T23:59:59.999Z');

/**
 * The nearest instant of the years 1 to 9999. A `Date` reaches further, to where no sum with it is a date, Postgres and
 * Temporal refuse it and its ISO text is another.
 */
export function boundedInstant(instant: Date): Date {
  if (instant < earliest) return earliest;
  return instant > latest ? latest : instant;
}
