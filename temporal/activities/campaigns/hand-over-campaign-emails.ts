import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { pause } from '../../../core/pause.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { EmailProvider, OutgoingEmail } from '../../../providers/email/email-provider.ts';
import { handOverRendered } from '../sending/hand-over-rendered.ts';
import { renderInTurn } from '../sending/render-in-turn.ts';
import { slowEmails } from '../sending/render-turns.ts';
import type { Claim, SendingContext } from '../sending/sending-context.ts';

export interface BulkContext extends SendingContext {
  provider: Pick<EmailProvider, 'handOverMany'>;
}

export interface CampaignClaim extends Claim {
  /** Whether the campaign is still sending. */
  maySend: () => Promise<boolean>;
  /** Delay from the grant of the slots until the n-th email may leave. */
  inMs: (index: number) => number;
}

const emailsPerCall = 50;
/**
 * Few, because a dying process leaves these in doubt; two, so that no connection waits while the next one is recorded.
 */
const emailsPerBeginning = 2;

export async function handOverCampaignEmails(
  context: BulkContext,
  claim: CampaignClaim,
  claimed: readonly ClaimedEmail[],
): Promise<void> {
  const { outcomes, lease, inMs } = claim;
  const grantedAt = performance.now();
  const sendable = outcomes.withhold(claimed);
  const projectId = claimed[0]?.projectId ?? '';
  // If the project turns out slow, a claim of so many emails would keep its place from others until it expires.
  const isTooLarge = () => claimed.length > slowEmails && context.turns.isSlow(projectId);
  const calls: Promise<void>[] = [];
  const step = context.begin === undefined ? emailsPerCall : emailsPerBeginning;
  for (let from = 0; from < sendable.length; from += step) {
    const emails = sendable.slice(from, from + step);
    calls.push(
      (async () => {
        const waitMs = inMs(from) - (performance.now() - grantedAt);
        if (waitMs > 0) await pause(waitMs, lease.signal);
        for (let left: readonly ClaimedEmail[] = emails; left.length > 0; ) {
          left = await context.calls.run(projectId, async () => {
            if (!isTooLarge()) return handOverInPlace(context, claim, left);
            outcomes.putBackAll(left, null);
            return [];
          });
        }
      })(),
    );
  }
  await Promise.all(calls);
}

/** @returns the emails left for another call */
async function handOverInPlace(
  context: BulkContext,
  claim: CampaignClaim,
  emails: readonly ClaimedEmail[],
): Promise<readonly ClaimedEmail[]> {
  const { outcomes, lease, maySend } = claim;
  // If the check fails, only these emails are held back: other calls are in flight and must be recorded.
  if (lease.aborted || !(await maySend().catch(() => false))) {
    outcomes.putBackAll(emails, null);
    return [];
  }
  // Lets calls leave one after the other: otherwise the first one would wait until all are rendered.
  await yieldToLoop();
  const { rendered, left } = await renderInTurn(context, claim, emails);
  const call = (outgoing: readonly OutgoingEmail[]) => context.provider.handOverMany(outgoing, lease);
  await handOverRendered(context, claim, rendered, call);
  return left;
}
