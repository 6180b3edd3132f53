import type { Recipient } from '../../db/statements/campaigns/list-recipients.ts';
import { recipientSchema } from '../schemas/campaign-recipients.ts';
import { present } from './present.ts';

interface RecipientPage {
  recipients: Recipient[];
  cursor: string | null;
  searchedUntil: Date | null;
}

export function presentRecipients({ recipients, cursor, searchedUntil }: RecipientPage) {
  return {
    data: recipients.map((recipient) => present(recipientSchema, recipient)),
    cursor,
    hasMore: cursor !== null,
    searchedUntil: searchedUntil?.toISOString() ?? null,
  };
}
