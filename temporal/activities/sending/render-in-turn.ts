import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import type { ClaimOutcomes } from './claim-outcomes.ts';
import type { RenderedClaim } from './render-claimed.ts';
import type { RenderTurn } from './render-turns.ts';
import type { Claim, SendingContext } from './sending-context.ts';

interface RenderedEmails {
  rendered: Map<ClaimedEmail, OutgoingEmail>;
  /** Not rendered yet, because the turn or the lease was over. */
  left: readonly ClaimedEmail[];
}

/** Renders emails of one project until its turn is over. Emails that cannot be rendered fail. */
export async function renderInTurn(
  { render, turns }: SendingContext,
  { storedOf, outcomes, lease }: Claim,
  emails: readonly ClaimedEmail[],
): Promise<RenderedEmails> {
  const turn = await turns.take(emails[0]?.projectId ?? '');
  try {
    if (lease.aborted) return { rendered: new Map(), left: emails };
    return await renderAll(emails, (email) => render(email, storedOf(email)), outcomes, turn);
  } finally {
    turn.end();
  }
}

async function renderAll(
  emails: readonly ClaimedEmail[],
  render: (email: ClaimedEmail) => RenderedClaim,
  outcomes: ClaimOutcomes,
  turn: RenderTurn,
): Promise<RenderedEmails> {
  const rendered = new Map<ClaimedEmail, OutgoingEmail>();
  for (const [index, email] of emails.entries()) {
    while (turn.mustPause()) await turn.pause();
    if (turn.isOver()) return { rendered, left: emails.slice(index) };
    const result = turn.render(() => renderOne(() => render(email)));
    if (result.ok) rendered.set(email, result.email);
    else outcomes.fail(email, result.reason);
  }
  return { rendered, left: [] };
}

/** An error in one email, such as a link sealed with another `APP_SECRET`, must not lose the outcomes of the others. */
function renderOne(render: () => RenderedClaim): RenderedClaim {
  try {
    return render();
  } catch {
    return { ok: false, reason: 'it could not be rendered' };
  }
}
