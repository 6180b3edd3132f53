/** Recipients per batch workflow. Temporal has a fixed cost per batch: at 500 it took a fifth of a campaign's CPU. */
export const recipientsPerBatch = 5_000;

/** Contacts in the first piece of a freeze, which the first email waits for. */
export const contactsInFirstPiece = 200;

const contactsPerPiece = 5_000;
const leastContacts = 10;
const usualPieceMs = 2_000;

/**
 * Contacts in a further piece: as many as take two seconds, because a cancel waits for a piece, and the journal of all
 * projects for its transaction. An audience may search long data with many filters.
 *
 * @param contacts of the piece before
 * @param tookMs of it
 */
export function contactsInNextPiece(contacts: number, tookMs: number): number {
  const wanted = Math.round((contacts * usualPieceMs) / tookMs);
  return Math.min(contactsPerPiece, Math.max(leastContacts, wanted));
}

export const emailsPerClaim = 500;
