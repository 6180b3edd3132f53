import type { Recipient } from '../../db/statements/campaigns/list-recipients.ts';
import type { RecipientAnswer } from '../schemas/campaign-recipients.ts';

const text = (instant: Date | null) => instant?.toISOString() ?? null;

function presentRecipient(recipient: Recipient): RecipientAnswer {
  return {
    ...recipient,
    sentAt: text(recipient.sentAt),
    deliveredAt: text(recipient.deliveredAt),
    openedAt: text(recipient.openedAt),
    clickedAt: text(recipient.clickedAt),
    bouncedAt: text(recipient.bouncedAt),
    complainedAt: text(recipient.complainedAt),
    unsubscribedAt: text(recipient.unsubscribedAt),
  };
}

interface RecipientPage {
  recipients: Recipient[];
  cursor: string | null;
  searchedUntil: Date | null;
}

export function presentRecipients({ recipients, cursor, searchedUntil }: RecipientPage) {
  return {
    data: recipients.map(presentRecipient),
    cursor,
    hasMore: cursor !== null,
    searchedUntil: text(searchedUntil),
  };
}
