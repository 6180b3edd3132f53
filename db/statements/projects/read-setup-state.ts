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
 *
 * Each row is the first by an index that starts with the project. Without an order Postgres expects to meet one soon, as it
 * expects thousands of rows of each project, and reads the table: all of it for a project that has none.
 */
export function readSetupState(em: Em, projectId: string) {
  const hasSql = (table: string, order: string, condition = 'true') =>
    `exists (select from (
       select from ${table} where project_id = $1 and ${condition} order by ${order} limit 1) first)`;
  const sql = `select
       ${hasSql('domains', 'domain', "status = 'verified'")} as "hasVerifiedDomain",
       ${hasSql('contact_event_stats', 'contact_id', "name = 'email.sent'")}
         or exists (
           select from (select sent_at from emails where project_id = $1 order by id limit 1000) e
           where sent_at is not null
         ) as "hasSentEmail",
       ${hasSql('contacts', 'created_at, id')} as "hasContacts",
       ${hasSql('event_names', 'name')} as "hasTrackedEvent",
       ${hasSql('campaigns', 'created_at, id')} as "hasCampaign",
       ${hasSql('workflows', 'created_at, id')} as "hasWorkflow"`;
  return queryRow(em, row, sql, [projectId]);
}
