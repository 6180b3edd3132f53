/**
 * Recipients whose emails one workflow sends. What Temporal does for a batch is a cost for each of them: at 500 it was
 * a fifth of all CPU that a campaign takes.
 */
export const recipientsPerBatch = 5_000;

/** Emails of a batch that are claimed, handed over and recorded together. */
export const emailsPerClaim = 500;
