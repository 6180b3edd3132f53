import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { claimLeaseSeconds } from '../../../core/claim-times.ts';
import { newId } from '../../../core/new-id.ts';
import type { Em } from '../../../db/orm.ts';
import type { BeginningHandOver } from '../../../db/statements/emails/begin-hand-overs.ts';
import { claimEmails } from '../../../db/statements/emails/claim-emails.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { loadContents, StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import { ClaimOutcomes, type CountOutcome } from '../sending/claim-outcomes.ts';
import { recordWithRetry } from '../sending/record-with-retry.ts';
import type { ClaimedRenderer } from '../sending/render-claimed.ts';
import type { SendSlot } from './reserve-slots.ts';

export interface WaveContext {
  em: Em;
  provider: Pick<EmailProvider, 'handOver'>;
  render: ClaimedRenderer;
  load: typeof loadContents;
  /** @returns false when the hand-over must not begin */
  begin: (beginning: BeginningHandOver) => Promise<boolean>;
  unknownSeconds: number;
  signal: AbortSignal;
  count: CountOutcome;
}

const notedLaterMs = 1_000;

/**
 * Claims emails, hands each over at its time and records the outcomes. Only the holder of a claim hands an
 * email over, and only after the beginning is on disk.
 *
 * @param grantedAt the slots' delays count from here
 * @param withheld emails without a slot, to be recorded as suppressed
 */
export async function handOverWave(
  context: WaveContext,
  slots: readonly SendSlot[],
  grantedAt: number,
  concurrency: number,
  withheld: readonly string[] = [],
): Promise<ClaimOutcomes> {
  const { em, signal } = context;
  const times = new Map(slots.map(({ email, inMs }) => [email.id, grantedAt + inMs]));
  const token = newId();
  const deadline = Date.now() + claimLeaseSeconds * 1000;
  const mustStop = () => signal.aborted || Date.now() > deadline;
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
  const handOverOne = async (email: ClaimedEmail) => {
    const waitMs = (times.get(email.id) ?? 0) - Date.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    await handOver(
      context,
      { email, token, mustStop, stored: contents.get(email.contentId ?? '') },
      outcomes,
    );
  };
  await pMap(sendable, handOverOne, { concurrency });
  await recordWithRetry(em, token, outcomes.records);
  return outcomes;
}

interface Claim {
  email: ClaimedEmail;
  token: string;
  stored: StoredContent | undefined;
  mustStop: () => boolean;
}

async function handOver(
  context: WaveContext,
  { email, token, stored, mustStop }: Claim,
  outcomes: ClaimOutcomes,
): Promise<void> {
  if (mustStop()) return outcomes.putBack(email, 'the run was stopped', 0);
  const rendered = context.render(email, stored);
  if (!rendered.ok) return outcomes.fail(email, rendered.reason);
  try {
    if (!(await context.begin({ emailId: email.id, token }))) return;
  } catch {
    return outcomes.putBack(email, 'the start of the hand-over could not be recorded', notedLaterMs);
  }
  if (mustStop()) return outcomes.putBack(email, 'the run was stopped', 0);
  const startedAt = new Date();
  const answer = await context.provider.handOver(rendered.email);
  outcomes.answer(email, answer, rendered.email.subject, startedAt);
}
