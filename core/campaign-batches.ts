/**
 * Recipients per batch workflow. Temporal has a fixed cost per batch: at 500 it took a fifth of a campaign's
 * CPU.
 */
export const recipientsPerBatch = 5_000;

/** Contacts of the first piece of a freeze, which the first email waits for. */
export const contactsInFirstPiece = 200;

/** Of the others: a cancel waits for one. */
export const contactsPerPiece = 5_000;

export const emailsPerClaim = 500;
