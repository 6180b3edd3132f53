import pMap from 'p-map';
import { newId } from '../../../core/new-id.ts';
import { pause } from '../../../core/pause.ts';
import { claimEmails } from '../../../db/statements/emails/claim-emails.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { loadContents } from '../../../db/statements/emails/load-contents.ts';
import type {
  EmailProvider,
  HandOver,
  OutgoingEmail,
  Stop,
} from '../../../providers/email/email-provider.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';
import { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { handOverRendered } from '../sending/hand-over-rendered.ts';
import { beginLease } from '../sending/lease.ts';
import type { RecordBeginning } from '../sending/record-beginnings.ts';
import { recordOutcomes } from '../sending/record-outcomes.ts';
import { renderInTurn } from '../sending/render-in-turn.ts';
import { crowdedRetryMs } from '../sending/render-turns.ts';
import type { Claim, SendingContext } from '../sending/sending-context.ts';
import { groupByCall } from './group-by-call.ts';
import type { SendSlot } from './slot-reserver.ts';

export type HandingOver = Pick<EmailProvider, 'emailsPerCall' | 'handOver' | 'handOverMany'>;

export interface HandOverContext extends SendingContext {
  provider: HandingOver;
  begin: RecordBeginning;
  load: typeof loadContents;
  signal: AbortSignal;
  /** Called before the run waits for memory or a turn to render, or noticeably for send slots. */
  onWait: () => void;
}

const callsOfClaim = 16;

/**
 * Claims emails, hands each over at its time and records the outcomes. Only the holder of a claim hands an email over,
 * and only after the beginning is on disk.
 *
 * @param grantedAt the slots' delays count from here, by `performance.now()`
 * @param isLarge see `Lot`
 * @param withheld emails without a slot, to be recorded as suppressed
 */
export async function handOverClaim(
  context: HandOverContext,
  slots: readonly SendSlot[],
  grantedAt: number,
  isLarge: boolean,
  withheld: readonly string[] = [],
): Promise<ClaimOutcomes> {
  const { em, provider } = context;
  const times = new Map(slots.map(({ email, inMs }) => [email.id, grantedAt + inMs]));
  const token = newId();
  const lease = beginLease(context.signal);
  const outcomes = new ClaimOutcomes(context.count);
  const contentIds = new Set(slots.flatMap(({ email }) => email.contentId ?? []));
  const [claimed, contents] = await Promise.all([
    claimEmails(em, [...times.keys(), ...withheld], token, context.unknownSeconds),
    context.load(em, [...contentIds]),
  ]);
  const sendable = outcomes.withhold(claimed).filter((email) => {
    if (times.has(email.id)) return true;
    outcomes.putBack(email, 'may leave after all', 0);
    return false;
  });
  const storedOf = ({ contentId }: ClaimedEmail) => contents.get(contentId ?? '');
  const atOf = ({ id }: ClaimedEmail) => times.get(id) ?? 0;
  const planned = groupByCall(sendable, storedOf, atOf, isLarge ? 1 : provider.emailsPerCall);
  const claim = { token, lease, outcomes, storedOf };
  const handingOver = pMap(planned, ({ emails, at }) => handOverAt(at, emails, context, claim), {
    concurrency: isLarge ? 1 : callsOfClaim,
  });
  await recordOutcomes(context, token, outcomes, handingOver);
  return outcomes;
}

async function handOverAt(
  at: number,
  emails: readonly ClaimedEmail[],
  context: HandOverContext,
  claim: Claim,
): Promise<void> {
  const { outcomes, lease } = claim;
  const { provider, turns, onWait } = context;
  const call = (rendered: readonly OutgoingEmail[]) => callProvider(provider, rendered, lease);
  const projectId = emails[0]?.projectId ?? '';
  const waitMs = at - performance.now();
  if (waitMs > 0) await pause(waitMs, lease.signal);
  for (let left = emails; left.length > 0; ) {
    if (lease.aborted) return outcomes.putBackAll(left, notBegun.reason);
    if (turns.isSlow(projectId)) onWait();
    if (turns.isCrowded(projectId)) {
      const reason = 'emails of its project render slowly';
      for (const email of left) outcomes.putBack(email, reason, crowdedRetryMs());
      return;
    }
    const inTurn = await renderInTurn(context, claim, left);
    left = inTurn.left;
    await context.calls.run(projectId, () => handOverRendered(context, claim, inTurn.rendered, call));
  }
}

/** A single email leaves by `SendEmail`. */
async function callProvider(
  provider: HandingOver,
  emails: readonly OutgoingEmail[],
  stop: Stop,
): Promise<HandOver[]> {
  const [first, second] = emails;
  if (first !== undefined && second === undefined) return [await provider.handOver(first)];
  return provider.handOverMany(emails, stop);
}
