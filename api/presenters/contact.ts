import { z } from 'zod';
import type { ContactRow } from '../../db/entities/contact.ts';

export const contactSchema = z
  .object({
    id: z.uuid(),
    email: z.string(),
    subscribed: z.boolean(),
    snoozedUntil: z.iso.datetime().nullable().describe('Set only while snoozed.'),
    data: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Contact' });

export type ContactAnswer = z.output<typeof contactSchema>;

export function presentContact(row: ContactRow): ContactAnswer {
  return {
    id: row.id,
    email: row.email,
    subscribed: row.subscribed,
    snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
    data: row.data,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
