import { z } from 'zod';
import { withholding } from '../../../core/withholding.ts';
import { audienceQuery } from '../../conditions/audience-query.ts';
import type { Em } from '../../orm.ts';
import { bindInto } from '../../sql.ts';
import { type AudienceChoice, chosenAudience } from './campaign-audience.ts';

const groupRow = z.object({
  subscribed: z.boolean(),
  suppressed: z.boolean(),
  snoozed: z.boolean(),
  suppressTransactional: z.boolean(),
  contacts: z.int(),
});

/** Counts an audience by what sending would do: who gets the email, and why the others do not. */
export async function countAudienceOutcome(em: Em, campaign: AudienceChoice) {
  const audience = await chosenAudience(em, campaign);
  const parameters: unknown[] = [campaign.projectId];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const sql = `select subscribed, suppressed, snoozed, count(*)::int as contacts,
       (select suppress_transactional from projects where id = $1) as "suppressTransactional"
     from (
       select c.subscribed, c.suppression_reason is not null as suppressed, c.snoozed_until is not null as snoozed
       from contacts c where c.project_id = $1 and ${where}
     ) c
     group by subscribed, suppressed, snoozed`;
  const groups = await audienceQuery(em, 'all', groupRow, sql, parameters);
  const outcome = { total: 0, recipients: 0, suppressed: 0, snoozed: 0, unsubscribed: 0 };
  for (const { contacts, snoozed, ...facts } of groups) {
    const email = { source: 'CAMPAIGN', type: campaign.type, projectDisabled: false } as const;
    const isWithheld = withholding({ ...email, ...facts }) !== undefined;
    const reason = facts.suppressed ? 'suppressed' : snoozed ? 'snoozed' : 'unsubscribed';
    outcome.total += contacts;
    outcome[isWithheld ? reason : 'recipients'] += contacts;
  }
  return outcome;
}

export type AudienceOutcome = Awaited<ReturnType<typeof countAudienceOutcome>>;
