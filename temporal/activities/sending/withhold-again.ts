import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import { readWithholdingFacts } from '../../../db/statements/emails/read-withholding-facts.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import type { Claim, SendingContext } from './sending-context.ts';

/** How long an opt-out may go unnoticed. Claims are usually through by then, and cost no second look. */
const freshMs = 1_000;

/**
 * Withholds claimed emails of one project once more if they have waited: meanwhile their contact may have opted out or
 * been deleted, or their project been disabled. Emails that can't be looked at go back to the queue, with a warning.
 *
 * @returns those that may leave
 */
export async function withholdAgain(
  { em, warn }: Pick<SendingContext, 'em' | 'warn'>,
  { outcomes, lease }: Pick<Claim, 'outcomes' | 'lease'>,
  rendered: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
): Promise<ReadonlyMap<ClaimedEmail, OutgoingEmail>> {
  if (rendered.size === 0 || lease.ageMs() < freshMs) return rendered;
  const emails = [...rendered.keys()];
  const ids = emails.map(({ id }) => id);
  try {
    const facts = await readWithholdingFacts(em.fork(), ids);
    const allowed = outcomes.withhold(emails.map((email) => ({ ...email, ...facts.get(email.id) })));
    const kept = new Set(allowed.map(({ id }) => id));
    return new Map([...rendered].filter(([{ id }]) => kept.has(id)));
  } catch (error) {
    outcomes.putBackAll(emails, null);
    const which = `of project ${emails[0]?.projectId}: ${ids.join(', ')}`;
    warn(`Emails that waited could not be looked at again and return to the queue, ${which}`, error);
    return new Map();
  }
}
