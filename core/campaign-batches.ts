/**
 * Recipients per batch workflow. Temporal has a fixed cost per batch: at 500 it took a fifth of a campaign's
 * CPU.
 */
export const recipientsPerBatch = 5_000;

export const emailsPerClaim = 500;
