import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({
  hasVerifiedDomain: z.boolean(),
  hasSentEmail: z.boolean(),
  hasContacts: z.boolean(),
  hasTrackedEvent: z.boolean(),
  hasCampaign: z.boolean(),
  hasWorkflow: z.boolean(),
});

export type SetupState = z.output<typeof row>;

const isReservedSql = `(names.name like 'email.%' or names.name in ('contact.subscribed', 'contact.unsubscribed')
  or names.name ~ '^segment[.][^.]+[.](entry|exit)$')`;

/**
 * Checks six tables by their first matching row. Walks event names through the index until it finds one that a client
 * sent; there are only a few reserved ones.
 */
export async function readSetupState(em: Em, projectId: string): Promise<SetupState> {
  const [state] = await query(
    em,
    row,
    `with recursive names (name) as (
       (select name from contact_event_stats where project_id = $1 order by name limit 1)
       union all
       select (select s.name from contact_event_stats s
               where s.project_id = $1 and s.name > names.name order by s.name limit 1)
       from names where names.name is not null and ${isReservedSql}
     )
     select
       exists (select from domains where project_id = $1 and status = 'verified') as "hasVerifiedDomain",
       exists (select from contact_event_stats where project_id = $1 and name = 'email.sent') as "hasSentEmail",
       exists (select from contacts where project_id = $1) as "hasContacts",
       exists (select from names where name is not null and not ${isReservedSql})
         as "hasTrackedEvent",
       exists (select from campaigns where project_id = $1) as "hasCampaign",
       exists (select from workflows where project_id = $1) as "hasWorkflow"`,
    [projectId],
  );
  if (state === undefined) throw new Error('A select without a table must answer one row');
  return state;
}
