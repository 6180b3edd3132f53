export const leastContacts = 10;
const mostGrowth = 4;
/** Of a statement that evaluates conditions: its transaction holds up a cancel, and the journal of all projects. */
export const usualMs = 2_000;

/**
 * How many contacts are evaluated in two seconds, after `contacts` took `tookMs`: a condition may search long data with
 * many filters. Grows by steps, because the next contacts may have more data.
 */
export function contactsInTime(contacts: number, tookMs: number): number {
  return Math.max(leastContacts, Math.round(contacts * Math.min(mostGrowth, usualMs / tookMs)));
}
