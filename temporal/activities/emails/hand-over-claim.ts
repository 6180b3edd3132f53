import pMap from 'p-map';
import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { newId } from '../../../core/new-id.ts';
import { pause } from '../../../core/pause.ts';
import type { Em } from '../../../db/orm.ts';
import { claimEmails } from '../../../db/statements/emails/claim-emails.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { BeginningHandOver } from '../../../db/statements/emails/hand-overs.ts';
import type { loadContents, StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type {
  EmailProvider,
  HandOver,
  OutgoingEmail,
  Stop,
} from '../../../providers/email/email-provider.ts';
import { uploadSecondsOf } from '../../../providers/email/upload-seconds-of.ts';
import type { Warn } from '../../../runtime/logger.ts';
import { ClaimOutcomes, type CountOutcome } from '../sending/claim-outcomes.ts';
import { beginLease, type Lease } from '../sending/lease.ts';
import { recordOutcomes } from '../sending/record-outcomes.ts';
import { type Rendering, renderInTurn } from '../sending/render-in-turn.ts';
import { crowdedRetryMs } from '../sending/render-turns.ts';
import { withholdAgain } from '../sending/withhold-again.ts';
import { groupByCall } from './group-by-call.ts';
import type { SendSlot } from './slot-reserver.ts';

export type HandingOver = Pick<EmailProvider, 'emailsPerCall' | 'handOver' | 'handOverMany'>;

export interface HandOverContext extends Rendering {
  em: Em;
  provider: HandingOver;
  /** As many as the provider has connections for. */
  calls: FairSemaphore;
  load: typeof loadContents;
  /** @returns false when the hand-over must not begin */
  begin: (beginning: BeginningHandOver) => Promise<boolean>;
  unknownSeconds: number;
  signal: AbortSignal;
  count: CountOutcome;
  warn: Warn;
  /** Called before the run waits for memory or a turn to render, or noticeably for send slots. */
  onWait: () => void;
}

const stopped = 'the run was stopped';
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
  const claim = { token, storedOf, outcomes, lease };
  const handingOver = pMap(planned, ({ emails, at }) => handOverAt(at, emails, context, claim), {
    concurrency: isLarge ? 1 : callsOfClaim,
  });
  await recordOutcomes(em, token, outcomes, handingOver);
  return outcomes;
}

interface Claim {
  token: string;
  storedOf: (email: ClaimedEmail) => StoredContent | undefined;
  outcomes: ClaimOutcomes;
  lease: Lease;
}

async function handOverAt(
  at: number,
  emails: readonly ClaimedEmail[],
  context: HandOverContext,
  claim: Claim,
): Promise<void> {
  const { storedOf, outcomes, lease } = claim;
  const { turns, onWait } = context;
  const projectId = emails[0]?.projectId ?? '';
  const waitMs = at - performance.now();
  if (waitMs > 0) await pause(waitMs, lease.signal);
  for (let left = emails; left.length > 0; ) {
    if (lease.aborted) return outcomes.putBackAll(left, stopped);
    if (turns.isSlow(projectId)) onWait();
    if (turns.isCrowded(projectId)) {
      const reason = 'emails of its project render slowly';
      for (const email of left) outcomes.putBack(email, reason, crowdedRetryMs());
      return;
    }
    const inTurn = await renderInTurn(context, left, storedOf, outcomes, lease);
    left = inTurn.left;
    // An email that waited for a connection with its beginning recorded would count as unanswered.
    await context.calls.run(projectId, () => handOverNow(inTurn.rendered, context, claim));
  }
}

async function handOverNow(
  rendered: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
  context: HandOverContext,
  claim: Claim,
): Promise<void> {
  const { em, warn } = context;
  const { outcomes, lease } = claim;
  if (lease.aborted) return outcomes.putBackAll(rendered.keys(), stopped);
  const sendable = new Set(await withholdAgain(em.fork(), [...rendered.keys()], outcomes, lease, warn));
  const begun = await begin(new Map([...rendered].filter(([email]) => sendable.has(email))), context, claim);
  if (lease.aborted) return outcomes.putBackAll(begun.keys(), stopped);
  const startedAt = new Date();
  const answers = await callProvider(context.provider, [...begun.values()], lease);
  outcomes.answerAll(begun, answers, startedAt);
}

/** @returns the emails that may be handed over now */
async function begin(
  rendered: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
  context: HandOverContext,
  { token, outcomes }: Claim,
): Promise<Map<ClaimedEmail, OutgoingEmail>> {
  const begun = new Map<ClaimedEmail, OutgoingEmail>();
  const beginOne = async (email: ClaimedEmail, outgoing: OutgoingEmail) => {
    try {
      const beginning = { emailId: email.id, token, uploadSeconds: uploadSecondsOf(outgoing) };
      if (await context.begin(beginning)) begun.set(email, outgoing);
    } catch {
      outcomes.putBackUnrecorded(email);
    }
  };
  await Promise.all([...rendered].map(([email, outgoing]) => beginOne(email, outgoing)));
  return begun;
}

async function callProvider(
  provider: HandingOver,
  emails: readonly OutgoingEmail[],
  stop: Stop,
): Promise<HandOver[]> {
  const [first, ...others] = emails;
  if (first === undefined) return [];
  return others.length === 0 ? [await provider.handOver(first)] : provider.handOverMany(emails, stop);
}
