import { lowestIdAt } from '../../core/id-at.ts';

/**
 * How far an event's time may be ahead of its id's: the provider dates its events by another clock. Statements that
 * look for events since an instant also bound the id, which tells Postgres which partitions to read.
 */
const skewMs = 86_400_000;

/** Events that occurred at or after an instant have this id or a higher one. */
export const firstEventIdSince = (instant: Date) => lowestIdAt(new Date(instant.getTime() - skewMs));
