import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import type { loadContents } from '../../db/repositories/campaigns/load-contents.ts';
import type { BeginningHandOver } from '../../db/repositories/emails/begin-hand-overs.ts';
import { type ClaimedEmail, claimEmails } from '../../db/repositories/emails/claim-emails.ts';
import type { HandOverRecord } from '../../db/repositories/emails/record-hand-overs.ts';
import type { EmailProvider, HandOver } from '../../providers/email/email-provider.ts';
import { recordSurely } from './record-surely.ts';
import type { ClaimedRenderer } from './render-claimed.ts';
import type { Permit } from './reserve-slots.ts';
import { withholding } from './withholding.ts';

export interface WaveContext {
  em: Em;
  provider: Pick<EmailProvider, 'handOver'>;
  render: ClaimedRenderer;
  load: typeof loadContents;
  /** Notes the beginning of a hand-over, which may go on when it answers true. */
  begin: (beginning: BeginningHandOver) => Promise<boolean>;
  /** How long an unanswered hand-over waits for the provider's event. */
  unknownSeconds: number;
  /** Aborted when the run has to stop: nothing is handed over after that. */
  signal: AbortSignal;
  /** Counts outcomes, for the metrics. */
  count: (outcome: HandOver['outcome'] | 'suppressed') => void;
}

export interface WaveOutcome {
  records: HandOverRecord[];
  /** How long an email that was put back has to wait, by its id. */
  waits: Map<string, number>;
}

/** A claim begins no hand-over after this, so that the run is certainly over when others take the claim for dead. */
const leaseSeconds = 25;
/** An email that cannot be handed over for this long has failed. */
const patienceMs = 24 * 60 * 60 * 1000;
const notedLaterMs = 1_000;

/**
 * Claims emails, hands each over at its time and records the outcomes. Only the holder of a claim hands an email over,
 * and only after the beginning is on disk.
 *
 * @param grantedAt from when the times of the permits count
 * @param withheld emails without a permit, which are to be told that they will not leave
 */
export async function handOverWave(
  context: WaveContext,
  permits: readonly Permit[],
  grantedAt: number,
  concurrency: number,
  withheld: readonly string[] = [],
): Promise<WaveOutcome> {
  const { em, signal } = context;
  const records: HandOverRecord[] = [];
  const waits = new Map<string, number>();
  const settle = (
    email: ClaimedEmail,
    record: Omit<HandOverRecord, 'emailId' | 'eventId' | 'occurredAt'>,
    occurredAt = new Date(),
  ) => records.push({ emailId: email.id, eventId: newId(), occurredAt, ...record });
  const fail = (email: ClaimedEmail, reason: string, subject: string | null) =>
    settle(email, { status: 'FAILED', messageId: null, reason, subject });
  const putBack = (email: ClaimedEmail, reason: string, inMs: number) => {
    waits.set(email.id, inMs);
    settle(email, { status: 'QUEUED', messageId: null, reason, subject: null });
  };

  const times = new Map(permits.map(({ email, inMs }) => [email.id, grantedAt + inMs]));
  const token = newId();
  const deadline = Date.now() + leaseSeconds * 1000;
  const claimed = await claimEmails(em, [...times.keys(), ...withheld], token, context.unknownSeconds);
  const sendable: ClaimedEmail[] = [];
  for (const email of claimed) {
    const verdict = withholding(email);
    if (verdict?.kind === 'suppress') {
      context.count('suppressed');
      settle(email, { status: 'SUPPRESSED', messageId: null, reason: verdict.reason, subject: null });
    } else if (verdict !== undefined) putBack(email, verdict.reason, verdict.retryInMs);
    else if (times.has(email.id)) sendable.push(email);
    else putBack(email, 'may leave after all', 0);
  }
  const contents = await context.load(em, [...new Set(sendable.flatMap((email) => email.contentId ?? []))]);

  async function handOver(email: ClaimedEmail): Promise<unknown> {
    const waitMs = (times.get(email.id) ?? 0) - Date.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    const mustStop = () => signal.aborted || Date.now() > deadline;
    if (mustStop()) return putBack(email, 'the run had to stop', 0);
    const rendered = context.render(email, contents.get(email.contentId ?? ''));
    if (!rendered.ok) return fail(email, rendered.reason, null);
    let mayGoOn = true;
    try {
      mayGoOn = await context.begin({ emailId: email.id, token });
    } catch {
      return putBack(email, 'the beginning of the hand-over could not be noted', notedLaterMs);
    }
    if (!mayGoOn) return undefined;
    if (mustStop()) return putBack(email, 'the run had to stop', 0);
    const startedAt = new Date();
    const answer = await context.provider.handOver(rendered.email);
    context.count(answer.outcome);
    const { subject } = rendered.email;
    switch (answer.outcome) {
      case 'accepted':
        return settle(
          email,
          { status: 'SENT', messageId: answer.messageId, reason: null, subject },
          startedAt,
        );
      case 'refused':
        return fail(email, answer.reason, subject);
      case 'unknown':
        return settle(email, { status: 'UNKNOWN', messageId: null, reason: answer.reason, subject });
      case 'later':
        if (Date.now() - email.createdAt.getTime() >= patienceMs) return fail(email, answer.reason, subject);
        return putBack(email, answer.reason, answer.retryInMs);
    }
  }
  await pMap(sendable, handOver, { concurrency });
  await recordSurely(em, token, records);
  return { records, waits };
}
