import { z } from 'zod';
import { withholdingFactsSchema } from '../../../core/withholding.ts';

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

/**
 * Columns of `withholdingFactsSchema`.
 *
 * @param email alias of `emails`
 * @param project alias of `projects`, left-joined: emails of user accounts have none
 * @param contact alias of `contacts`, left-joined
 */
export const withholdingColumnsSql = (email: string, project: string, contact: string) => `
  ${email}.source, ${email}.type, coalesce(${project}.disabled, ${email}.source <> 'ACCOUNT') as "projectDisabled",
  coalesce(${project}.suppress_transactional, false) as "suppressTransactional",
  ${contact}.subscribed, ${contact}.suppression_reason is not null and not ${email}.custom_recipient as suppressed`;
