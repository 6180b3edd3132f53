import type { Em } from '../../../db/orm.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { readWithholdingFacts } from '../../../db/statements/emails/read-withholding-facts.ts';
import type { Warn } from '../../../runtime/logger.ts';
import type { ClaimOutcomes } from './claim-outcomes.ts';
import type { Lease } from './lease.ts';

/** How long an opt-out may go unnoticed. Claims are usually through by then, and cost no second look. */
const freshMs = 1_000;

/**
 * Withholds claimed emails of one project once more if they have waited: meanwhile their contact may have opted out or
 * been deleted, or their project been disabled. Emails that can't be looked at go back to the queue, with a warning.
 *
 * @returns those that may leave
 */
export async function withholdAgain(
  em: Em,
  emails: readonly ClaimedEmail[],
  outcomes: ClaimOutcomes,
  { ageMs }: Pick<Lease, 'ageMs'>,
  warn: Warn,
): Promise<readonly ClaimedEmail[]> {
  if (emails.length === 0 || ageMs() < freshMs) return emails;
  try {
    const facts = await readWithholdingFacts(
      em,
      emails.map(({ id }) => id),
    );
    const allowed = outcomes.withhold(emails.map((email) => ({ ...email, ...facts.get(email.id) })));
    const kept = new Set(allowed.map(({ id }) => id));
    return emails.filter(({ id }) => kept.has(id));
  } catch (error) {
    outcomes.putBackAll(emails, null);
    const ids = emails.map(({ id }) => id).join(', ');
    const which = `of project ${emails[0]?.projectId}: ${ids}`;
    warn(`Emails that waited could not be looked at again and return to the queue, ${which}`, error);
    return [];
  }
}
