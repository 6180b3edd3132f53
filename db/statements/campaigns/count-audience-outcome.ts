import { z } from 'zod';
import { audienceQuery } from '../../conditions/audience-query.ts';
import { bindInto } from '../../conditions/bind.ts';
import type { Em } from '../../orm.ts';
import { type AudienceChoice, chosenAudience } from './campaign-audience.ts';

const count = z.number().int();
const outcomeRow = z.object({
  total: count,
  recipients: count,
  suppressed: count,
  snoozed: count,
  unsubscribed: count,
});

export type AudienceOutcome = z.output<typeof outcomeRow>;

/** Counts whom an audience names by what sending does: who gets the email, and why the others do not. */
export async function countAudienceOutcome(em: Em, campaign: AudienceChoice): Promise<AudienceOutcome> {
  const audience = await chosenAudience(em, campaign);
  const parameters: unknown[] = [campaign.projectId, campaign.type === 'TRANSACTIONAL'];
  const where = audience.where(new Date(), bindInto(parameters), 'all');
  const [row] = await audienceQuery(
    em,
    'all',
    outcomeRow,
    // The rule of `temporal/activities/sending/withholding.ts`.
    `select count(*)::int as total, count(*) filter (where gets_it)::int as recipients,
       count(*) filter (where not gets_it and suppression_reason is not null)::int as suppressed,
       count(*) filter (where not gets_it and suppression_reason is null and snoozed_until is not null)::int as snoozed,
       count(*) filter (where not gets_it and suppression_reason is null and snoozed_until is null)::int as unsubscribed
     from (
       select c.suppression_reason, c.snoozed_until, (c.subscribed or $2::boolean)
         and not (c.suppression_reason is not null and (select suppress_transactional from projects where id = $1)) as gets_it
       from contacts c where c.project_id = $1 and ${where}
     ) c`,
    parameters,
  );
  return row ?? { total: 0, recipients: 0, suppressed: 0, snoozed: 0, unsubscribed: 0 };
}
