import type { Contact } from '../../db/entities/contact.ts';
import type { ContactAnswer } from '../schemas/answers/contact.ts';

export function presentContact(row: Pick<Contact, keyof ContactAnswer>): ContactAnswer {
  return {
    id: row.id,
    email: row.email,
    subscribed: row.subscribed,
    snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
    suppressionReason: row.suppressionReason ?? null,
    data: row.data,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
