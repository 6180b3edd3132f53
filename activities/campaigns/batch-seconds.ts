import type { BatchSeconds } from '../../db/repositories/campaigns/settle-campaign.ts';

/** A claim begins no hand-over after this: with the half minute of an answer that is well below `liveSeconds`. */
const leaseSeconds = 20;
/** A claim of this age is of a run that died. */
const liveSeconds = 60;

/** @param unknown how long an unanswered hand-over waits for the provider's event */
export const batchSeconds = (unknown: number): BatchSeconds => ({
  lease: leaseSeconds,
  live: liveSeconds,
  unknown,
});
