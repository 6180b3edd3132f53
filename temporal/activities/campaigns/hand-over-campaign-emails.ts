import { setImmediate as yieldToLoop } from 'node:timers/promises';
import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { pause } from '../../../core/pause.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { EmailProvider, OutgoingEmail } from '../../../providers/email/email-provider.ts';
import type { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import type { Lease } from '../sending/lease.ts';
import { type Rendering, renderInTurn } from '../sending/render-in-turn.ts';
import { slowEmails } from '../sending/render-turns.ts';

export interface BulkContext extends Rendering {
  provider: Pick<EmailProvider, 'handOverMany'>;
  /**
   * Records that hand-overs begin; undefined where the claim counts as their beginning. @returns whether each may begin
   */
  begin: ((emailIds: string[]) => Promise<boolean[]>) | undefined;
  calls: FairSemaphore;
  maySend: () => Promise<boolean>;
  /** See `withholdAgain`. */
  withholdAgain: (
    emails: readonly ClaimedEmail[],
    outcomes: ClaimOutcomes,
  ) => Promise<readonly ClaimedEmail[]>;
  lease: Lease;
  inMs: (index: number) => number;
}

const emailsPerCall = 50;
/**
 * Few, because a dying process leaves these in doubt; two, so that no connection waits while the next one is recorded.
 */
const emailsPerBeginning = 2;

export async function handOverCampaignEmails(
  context: BulkContext,
  claimed: readonly ClaimedEmail[],
  stored: StoredContent | undefined,
  outcomes: ClaimOutcomes,
): Promise<void> {
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
        const waitMs = context.inMs(from) - (performance.now() - grantedAt);
        if (waitMs > 0) await pause(waitMs, context.lease.signal);
        for (let left: readonly ClaimedEmail[] = emails; left.length > 0; ) {
          left = await context.calls.run(projectId, async () => {
            if (!isTooLarge()) return callProvider(context, left, stored, outcomes);
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
async function callProvider(
  context: BulkContext,
  emails: readonly ClaimedEmail[],
  stored: StoredContent | undefined,
  outcomes: ClaimOutcomes,
): Promise<readonly ClaimedEmail[]> {
  // If the check fails, only these emails are held back: other calls are in flight and must be recorded.
  if (context.lease.aborted || !(await context.maySend().catch(() => false))) {
    outcomes.putBackAll(emails, null);
    return [];
  }
  const sendable = await context.withholdAgain(emails, outcomes);
  // Lets calls leave one after the other: otherwise the first one would wait until all are rendered.
  await yieldToLoop();
  const { rendered, left } = await renderInTurn(context, sendable, () => stored, outcomes, context.lease);
  const begun = await begin(context, rendered, outcomes);
  const startedAt = new Date();
  const answers = await context.provider.handOverMany([...begun.values()], context.lease);
  outcomes.answerAll(begun, answers, startedAt);
  return left;
}

/** @returns the emails that may be handed over now */
async function begin(
  context: BulkContext,
  rendered: Map<ClaimedEmail, OutgoingEmail>,
  outcomes: ClaimOutcomes,
): Promise<Map<ClaimedEmail, OutgoingEmail>> {
  if (context.begin === undefined || rendered.size === 0) return rendered;
  try {
    const begun = await context.begin([...rendered.keys()].map(({ id }) => id));
    return new Map([...rendered].filter((_, index) => begun[index]));
  } catch {
    for (const email of rendered.keys()) outcomes.putBackUnrecorded(email);
    return new Map();
  }
}
