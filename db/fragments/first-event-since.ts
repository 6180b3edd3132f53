import { lowestIdAt } from '../../core/id-at.ts';

/**
 * Longest time by which an event may occur after its id was made: the provider dates its events by another clock. Statements
 * that look for events since an instant compare the id as well, which tells Postgres the partitions to read.
 */
const skewMs = 86_400_000;

/** Events that occurred at an instant or later have an id that is not lower. */
export const firstEventIdSince = (instant: Date) => lowestIdAt(new Date(instant.getTime() - skewMs));
