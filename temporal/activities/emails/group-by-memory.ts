import type { OpenEmail } from '../../../db/statements/emails/find-open-emails.ts';

export interface Lot {
  emails: OpenEmail[];
  /** Upper bound of its memory, in the units of `OpenEmail.bytes`. */
  bytes: number;
  /** Handed over one by one: `bytes` allows for one in flight. */
  isLarge: boolean;
}

const largeBytes = 256 * 1024;
const smallLotBytes = 8 * 1024 * 1024;
/** Large emails are handed over one by one; this many finish well within the lease of their claim. */
const largeLotEmails = 8;

/**
 * Divides emails into lots. Small emails share lots, in order, and come first; large ones are grouped by content, which
 * is loaded once per lot.
 */
export function groupByMemory(emails: readonly OpenEmail[]): Lot[] {
  const small: Lot[] = [];
  const large = new Map<string, Lot>();
  const finished: Lot[] = [];
  for (const email of emails) {
    if (email.bytes > largeBytes) {
      const key = email.contentId ?? email.id;
      const open = large.get(key);
      if (open !== undefined && open.emails.length < largeLotEmails) open.emails.push(email);
      else {
        // The content itself plus the one email in flight.
        const lot = { emails: [email], bytes: 2 * email.bytes, isLarge: true };
        large.set(key, lot);
        finished.push(lot);
      }
      continue;
    }
    const last = small.at(-1);
    if (last !== undefined && last.bytes + email.bytes <= smallLotBytes) {
      last.emails.push(email);
      last.bytes += email.bytes;
    } else {
      small.push({ emails: [email], bytes: email.bytes, isLarge: false });
    }
  }
  return [...small, ...finished];
}
