import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import type { ClaimOutcomes } from './claim-outcomes.ts';
import type { Lease } from './lease.ts';
import type { ClaimedRenderer, RenderedClaim } from './render-claimed.ts';
import type { RenderTurn, RenderTurns } from './render-turns.ts';

export interface Rendering {
  render: ClaimedRenderer;
  turns: RenderTurns;
}

interface RenderedEmails {
  rendered: Map<ClaimedEmail, OutgoingEmail>;
  /** Not rendered yet, because the turn or the lease was over. */
  left: readonly ClaimedEmail[];
}

/** Renders emails of one project until its turn is over. Emails that cannot be rendered fail. */
export async function renderInTurn(
  { render, turns }: Rendering,
  emails: readonly ClaimedEmail[],
  storedOf: (email: ClaimedEmail) => StoredContent | undefined,
  outcomes: ClaimOutcomes,
  lease: Lease,
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
    await turn.pauseIfLong();
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
