import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryRow } from '../../sql.ts';

const row = z.object({
  hasVerifiedDomain: z.boolean(),
  hasSentEmail: z.boolean(),
  hasContacts: z.boolean(),
  hasTrackedEvent: z.boolean(),
  hasCampaign: z.boolean(),
  hasWorkflow: z.boolean(),
});

/**
 * Checks tables by their first matching row. Contact statistics exclude test emails, and emails to contacts deleted since:
 * those are found among the first thousand emails of the project.
 */
export function readSetupState(em: Em, projectId: string) {
  const sql = `select
       exists (select from domains where project_id = $1 and status = 'verified') as "hasVerifiedDomain",
       exists (select from contact_event_stats where project_id = $1 and name = 'email.sent')
         or exists (
           select from (select sent_at from emails where project_id = $1 order by id limit 1000) e
           where sent_at is not null
         ) as "hasSentEmail",
       exists (select from contacts where project_id = $1) as "hasContacts",
       exists (select from event_names where project_id = $1) as "hasTrackedEvent",
       exists (select from campaigns where project_id = $1) as "hasCampaign",
       exists (select from workflows where project_id = $1) as "hasWorkflow"`;
  return queryRow(em, row, sql, [projectId]);
}
