import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { newId } from '../../core/new-id.ts';
import type { Em } from '../../db/orm.ts';
import { loadContents } from '../../db/repositories/campaigns/load-contents.ts';
import {
  type ClaimedEmail,
  claimEmails,
  findOpenEmails,
  markAbandonedAsUnknown,
} from '../../db/repositories/emails/claim-emails.ts';
import type { HandOverRecord } from '../../db/repositories/emails/record-hand-overs.ts';
import type { EmailProvider, HandOver } from '../../providers/email/email-provider.ts';
import type { DispatchEmailsResult } from '../../temporal/contracts/email-batch.ts';
import { recordSurely } from './record-surely.ts';
import type { ClaimedRenderer } from './render-claimed.ts';
import { reserveSlots, type SendRates } from './reserve-slots.ts';
import { withholding } from './withholding.ts';

export interface DispatchContext {
  em: Em;
  provider: Pick<EmailProvider, 'handOver'>;
  rates: SendRates;
  render: ClaimedRenderer;
  /** How long an unanswered hand-over waits for the provider's event. */
  unknownSeconds: number;
  /** Aborted when the run has to stop: nothing is handed over after that. */
  signal: AbortSignal;
  /** Counts outcomes, for the metrics. */
  count: (outcome: HandOver['outcome'] | 'suppressed') => void;
}

/** A claim begins no hand-over after this, so that the run is certainly over when others take the claim for dead. */
const leaseSeconds = 25;
const liveSeconds = 60;
const concurrency = 16;
/** An email that cannot be handed over for this long has failed. */
const patienceMs = 24 * 60 * 60 * 1000;

/**
 * One round of a batch: claims what is due, hands it over at the throttle's pace, records the outcomes. However
 * often and wherever it runs, only the holder of a claim hands an email over; what a dead run left behind is
 * UNKNOWN until the provider's event or the time-out settles it.
 */
export async function dispatchEmails(
  context: DispatchContext,
  emailIds: string[],
): Promise<DispatchEmailsResult> {
  const { em } = context;
  const token = newId();
  await markAbandonedAsUnknown(em, emailIds, liveSeconds);
  const claimed = await claimEmails(em, emailIds, token, context.unknownSeconds);
  const deadline = Date.now() + leaseSeconds * 1000;

  const records: HandOverRecord[] = [];
  /** How long an email has to wait for what has kept it back. */
  const waits = new Map<string, number>();
  const settle = (
    email: ClaimedEmail,
    record: Omit<HandOverRecord, 'emailId' | 'eventId' | 'occurredAt'>,
    occurredAt = new Date(),
  ) => records.push({ emailId: email.id, eventId: newId(), occurredAt, ...record });
  const putBack = (email: ClaimedEmail, reason: string, inMs: number) => {
    waits.set(email.id, inMs);
    settle(email, { status: 'QUEUED', messageId: null, reason, subject: null });
  };

  const sendable: ClaimedEmail[] = [];
  for (const email of claimed) {
    const verdict = withholding(email);
    if (verdict === undefined) sendable.push(email);
    else if (verdict.kind === 'wait') putBack(email, verdict.reason, verdict.retryInMs);
    else settle(email, { status: 'SUPPRESSED', messageId: null, reason: verdict.reason, subject: null });
    if (verdict?.kind === 'suppress') context.count('suppressed');
  }

  const reservation = await reserveSlots(em, sendable, context.rates);
  for (const email of reservation.held) putBack(email, 'waits for the send rate', reservation.retryInMs);

  const contents = await loadContents(em, [...new Set(sendable.flatMap((email) => email.contentId ?? []))]);
  await pMap(
    reservation.granted,
    async ({ email, inMs }) => {
      if (inMs > 0) await delay(inMs, undefined, { signal: context.signal }).catch(() => undefined);
      if (context.signal.aborted || Date.now() > deadline) return putBack(email, 'the run had to stop', 0);
      const rendered = context.render(email, contents.get(email.contentId ?? ''));
      if (!rendered.ok) {
        return settle(email, { status: 'FAILED', messageId: null, reason: rendered.reason, subject: null });
      }
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
          return settle(email, { status: 'FAILED', messageId: null, reason: answer.reason, subject });
        case 'unknown':
          return settle(email, { status: 'UNKNOWN', messageId: null, reason: answer.reason, subject });
        case 'later':
          if (Date.now() - email.createdAt.getTime() < patienceMs) {
            return putBack(email, answer.reason, answer.retryInMs);
          }
          return settle(email, { status: 'FAILED', messageId: null, reason: answer.reason, subject });
      }
    },
    { concurrency },
  );

  await recordSurely(em, token, records);
  const open = await findOpenEmails(em, emailIds, context.unknownSeconds, liveSeconds);
  const sent = records.filter((record) => record.status === 'SENT').length;
  return {
    openIds: open.map((email) => email.id),
    retryInMs: open.length === 0 ? 0 : nextLookInMs(open, waits),
    sent,
    ended: emailIds.length - open.length - sent,
  };
}

/** Until the first of the open emails may go on. */
function nextLookInMs(open: { id: string; dueInMs: number }[], waits: Map<string, number>): number {
  const soonest = Math.min(...open.map(({ id, dueInMs }) => Math.max(dueInMs, waits.get(id) ?? 0)));
  return Math.ceil(Math.max(50, soonest));
}
