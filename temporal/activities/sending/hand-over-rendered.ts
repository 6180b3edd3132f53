import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { HandOver, OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';
import { uploadSecondsOf } from '../../../providers/email/upload-seconds-of.ts';
import type { Claim, SendingContext } from './sending-context.ts';
import { withholdAgain } from './withhold-again.ts';

/**
 * The steps of every hand-over from the rendered email on, with a place among the calls. They follow the last wait: an
 * email with its beginning recorded that still waited for a connection would count as unanswered.
 *
 * Only what comes before differs. A transactional email is rendered before it takes a place, so that a slow template
 * holds no connection. Campaign emails are rendered in their place, so that the first call leaves before the emails of
 * all others are rendered and in memory.
 *
 * @param rendered emails of one project
 * @param call the call of the provider
 */
export async function handOverRendered(
  context: SendingContext,
  claim: Claim,
  rendered: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
  call: (emails: readonly OutgoingEmail[]) => Promise<HandOver[]>,
): Promise<void> {
  const { outcomes, lease } = claim;
  if (lease.aborted) return outcomes.putBackAll(rendered.keys(), notBegun.reason);
  const allowed = await withholdAgain(context, claim, rendered);
  const begun = await begin(context, claim, allowed);
  if (lease.aborted) return outcomes.putBackAll(begun.keys(), notBegun.reason);
  if (begun.size === 0) return;
  const startedAt = new Date();
  outcomes.answerAll(begun, await call([...begun.values()]), startedAt);
}

const recordedLaterMs = 1_000;

/** @returns the emails that may be handed over now */
async function begin(
  context: SendingContext,
  { token, outcomes }: Claim,
  rendered: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
): Promise<ReadonlyMap<ClaimedEmail, OutgoingEmail>> {
  if (context.begin === undefined) return rendered;
  const record = context.begin;
  const begun = new Map<ClaimedEmail, OutgoingEmail>();
  const beginOne = async ([email, outgoing]: [ClaimedEmail, OutgoingEmail]) => {
    try {
      const beginning = { emailId: email.id, token, uploadSeconds: uploadSecondsOf(outgoing) };
      if (await record(beginning)) begun.set(email, outgoing);
    } catch {
      outcomes.putBack(email, 'the start of the hand-over could not be recorded', recordedLaterMs);
    }
  };
  await Promise.all(Array.from(rendered, beginOne));
  return begun;
}
