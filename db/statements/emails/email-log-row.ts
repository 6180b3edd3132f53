import { z } from 'zod';
import { counterTimes } from '../../../core/campaign-rates.ts';
import { contentTypes } from '../../../core/content-types.ts';
import { emailStatuses, projectEmailSources } from '../../../core/email-state.ts';
import { recordOf } from '../../../core/record-of.ts';
import { counterTimesSql } from '../../fragments/campaign-figures-sql.ts';

const name = z.string().nullable();

export const loggedEmailRow = z.object({
  id: z.uuid(),
  contactId: z.uuid().nullable(),
  customRecipient: z.boolean(),
  toEmail: z.string(),
  toName: name,
  fromEmail: z.string(),
  subject: name,
  source: z.enum(projectEmailSources),
  type: z.enum(contentTypes),
  status: z.enum(emailStatuses),
  reason: z.string().nullable(),
  campaignId: z.uuid().nullable(),
  campaignName: name,
  workflowId: z.uuid().nullable(),
  workflowName: name,
  templateId: z.uuid().nullable(),
  templateName: name,
  opens: z.int(),
  clicks: z.int(),
  createdAt: z.date(),
  claimedAt: z.date().nullable(),
  ...recordOf(counterTimes, () => z.date().nullable()),
  messageId: z.string().nullable(),
  contentId: z.uuid().nullable(),
});

export type LoggedEmail = z.output<typeof loggedEmailRow>;

/**
 * A sub-query instead of a join: compared with the cost of finding the emails, the planner considers reading a whole
 * table per name free.
 */
const nameOf = (table: string, id: string) =>
  `(select name from ${table} where id = ${id} and project_id = $1)`;

/** @param emails query or table of a few emails of the project $1 */
export const loggedEmailsSql = (emails: string) => `
select e.id, e.contact_id as "contactId", e.custom_recipient as "customRecipient", e.to_email as "toEmail", e.to_name as "toName",
  e.from_email as "fromEmail", e.subject, e.source, e.type, e.status, e.reason, e.campaign_id as "campaignId",
  ${nameOf('campaigns', 'e.campaign_id')} as "campaignName",
  e.workflow_id as "workflowId", ${nameOf('workflows', 'e.workflow_id')} as "workflowName",
  e.template_id as "templateId", ${nameOf('templates', 'e.template_id')} as "templateName",
  e.opens, e.clicks, e.created_at as "createdAt", e.claimed_at as "claimedAt",
  ${counterTimesSql('e')},
  e.message_id as "messageId", e.content_id as "contentId"
from (${emails}) e
order by e.id desc`;
