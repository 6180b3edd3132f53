import { z } from 'zod';
import { withholdingFactsSchema } from '../../../core/withholding.ts';
import { withholdingColumnsSql } from './withholding-columns.ts';

export const claimedEmailRow = withholdingFactsSchema.extend({
  id: z.uuid(),
  projectId: z.uuid(),
  contactId: z.uuid().nullable(),
  contentId: z.uuid().nullable(),
  toEmail: z.string(),
  toName: z.string().nullable(),
  attempts: z.int(),
  /** When the provider first deferred it; null before. */
  triedSince: z.date().nullable(),
  contactEmail: z.string().nullable(),
  contactData: z.record(z.string(), z.json()).nullable(),
});

export type ClaimedEmail = z.output<typeof claimedEmailRow>;

/** @param email alias of rows of `emails` with `tried_since`, the `claimed_at` from before the claim */
export const claimedColumnsSql = (email: string, project: string, contact: string) => `
  ${email}.id, ${email}.project_id as "projectId", ${email}.contact_id as "contactId",
  ${email}.content_id as "contentId", ${email}.to_email as "toEmail", ${email}.to_name as "toName", ${email}.attempts,
  ${email}.tried_since as "triedSince", ${contact}.email as "contactEmail", ${contact}.data as "contactData",
  ${withholdingColumnsSql(email, project, contact)}`;
