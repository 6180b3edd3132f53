import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { OutgoingEmail } from '../../../providers/email/email-provider.ts';
import type { ClaimOutcomes } from './claim-outcomes.ts';
import type { ClaimedRenderer, RenderedClaim } from './render-claimed.ts';

const longestBlockMs = 15;

/** @returns the rendered emails; the others have failed */
export async function renderAll(
  render: ClaimedRenderer,
  emails: readonly ClaimedEmail[],
  storedOf: (email: ClaimedEmail) => StoredContent | undefined,
  outcomes: ClaimOutcomes,
): Promise<Map<ClaimedEmail, OutgoingEmail>> {
  const rendered = new Map<ClaimedEmail, OutgoingEmail>();
  let blockedSince = performance.now();
  for (const email of emails) {
    const result = renderOne(() => render(email, storedOf(email)));
    if (result.ok) rendered.set(email, result.email);
    else outcomes.fail(email, result.reason);
    if (performance.now() - blockedSince < longestBlockMs) continue;
    await yieldToLoop();
    blockedSince = performance.now();
  }
  return rendered;
}

/** An error in one email, such as a link sealed with another `APP_SECRET`, must not lose the outcomes of the others. */
function renderOne(render: () => RenderedClaim): RenderedClaim {
  try {
    return render();
  } catch {
    return { ok: false, reason: 'it could not be rendered' };
  }
}
