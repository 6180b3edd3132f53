import { contactsInTime } from './contacts-in-time.ts';

/** Recipients per batch workflow. Temporal has a fixed cost per batch: at 500 it took a fifth of a campaign's CPU. */
export const recipientsPerBatch = 5_000;

/** Contacts in the first piece of a freeze, which the first email waits for. */
export const contactsInFirstPiece = 200;

const contactsPerPiece = 5_000;

/** Contacts in the piece after one of `contacts`, which took `tookMs`. */
export const contactsInNextPiece = (contacts: number, tookMs: number): number =>
  Math.min(contactsPerPiece, contactsInTime(contacts, tookMs));

export const emailsPerClaim = 500;
