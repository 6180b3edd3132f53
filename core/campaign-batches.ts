/** Recipients per batch workflow. Temporal has a fixed cost per batch: at 500 it took a fifth of a campaign's CPU. */
export const recipientsPerBatch = 5_000;

/** Contacts in the first piece of a freeze, which the first email waits for. */
export const contactsInFirstPiece = 200;

/** Contacts in each further piece; a cancel waits for one piece. */
export const contactsPerPiece = 5_000;

export const emailsPerClaim = 500;
