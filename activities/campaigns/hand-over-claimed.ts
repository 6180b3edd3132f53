import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../core/new-id.ts';
import type { AttachmentRow, ContentRow } from '../../db/entities/email.ts';
import type { ClaimedEmail } from '../../db/repositories/emails/claim-emails.ts';
import type { HandOverRecord } from '../../db/repositories/emails/record-hand-overs.ts';
import type { EmailProvider, HandOver, OutgoingEmail } from '../../providers/email/email-provider.ts';
import type { ClaimedRenderer } from '../emails/render-claimed.ts';
import { withholding } from '../emails/withholding.ts';
import type { CallSlots } from './call-slots.ts';

export interface HandOverContext {
  provider: EmailProvider;
  render: ClaimedRenderer;
  /** Calls to the provider that run at a time in this process. */
  calls: CallSlots;
  /** Whether the campaign may still send; asked right before each call. */
  maySend: () => Promise<boolean>;
  /** Aborted when nothing more may be begun. */
  signal: AbortSignal;
  /** When the n-th email may leave, from now. */
  inMs: (index: number) => number;
  count: (outcome: HandOver['outcome'] | 'suppressed') => void;
}

/** Emails of one call to the provider. */
const emailsPerCall = 50;
/** Rendering lets the process breathe after so long. */
const longestBlockMs = 15;
/** An email that cannot be handed over for this long has failed. */
const patienceMs = 24 * 60 * 60 * 1000;

type Outcome = Pick<HandOverRecord, 'status' | 'messageId' | 'reason' | 'subject'>;

function outcomeOf(email: ClaimedEmail, answer: HandOver, subject: string | null): Outcome {
  switch (answer.outcome) {
    case 'accepted':
      return { status: 'SENT', messageId: answer.messageId, reason: null, subject };
    case 'refused':
      return { status: 'FAILED', messageId: null, reason: answer.reason, subject };
    case 'unknown':
      return { status: 'UNKNOWN', messageId: null, reason: answer.reason, subject };
    case 'later': {
      const isPatient = Date.now() - email.createdAt.getTime() < patienceMs;
      const status = isPatient ? 'QUEUED' : 'FAILED';
      return { status, messageId: null, reason: answer.reason, subject: isPatient ? null : subject };
    }
  }
}

const putBack: Outcome = { status: 'QUEUED', messageId: null, reason: null, subject: null };

/**
 * Hands over what was claimed of a campaign, in calls of 50 emails that run beside each other.
 *
 * @returns what became of each email, and after what time those that were put back are worth another try
 */
export async function handOverClaimed(
  context: HandOverContext,
  claimed: readonly ClaimedEmail[],
  stored: { content: ContentRow; attachments: AttachmentRow[] } | undefined,
): Promise<{ records: HandOverRecord[]; retryInMs: number }> {
  const grantedAt = Date.now();
  const records: HandOverRecord[] = [];
  let retryInMs = 0;
  const settle = (email: ClaimedEmail, outcome: Outcome, occurredAt = new Date()) =>
    records.push({ emailId: email.id, eventId: newId(), occurredAt, ...outcome });

  const sendable: ClaimedEmail[] = [];
  for (const email of claimed) {
    const verdict = withholding(email);
    if (verdict === undefined) sendable.push(email);
    else if (verdict.kind === 'suppress') {
      context.count('suppressed');
      settle(email, { status: 'SUPPRESSED', messageId: null, reason: verdict.reason, subject: null });
    } else {
      retryInMs = Math.max(retryInMs, verdict.retryInMs);
      settle(email, { ...putBack, reason: verdict.reason });
    }
  }

  async function renderAll(emails: readonly ClaimedEmail[]): Promise<Map<ClaimedEmail, OutgoingEmail>> {
    const rendered = new Map<ClaimedEmail, OutgoingEmail>();
    let breathedAt = performance.now();
    for (const email of emails) {
      const result = context.render(email, stored);
      if (result.ok) rendered.set(email, result.email);
      else settle(email, { status: 'FAILED', messageId: null, reason: result.reason, subject: null });
      if (performance.now() - breathedAt < longestBlockMs) continue;
      await breathe();
      breathedAt = performance.now();
    }
    return rendered;
  }

  async function call(emails: readonly ClaimedEmail[]): Promise<void> {
    if (context.signal.aborted || !(await context.maySend())) {
      for (const email of emails) settle(email, putBack);
      return;
    }
    const rendered = await renderAll(emails);
    const startedAt = new Date();
    const answers = await context.provider.handOverMany([...rendered.values()], context.signal);
    for (const [index, [email, { subject }]] of [...rendered].entries()) {
      const answer: HandOver = answers[index] ?? { outcome: 'unknown', reason: 'the provider said nothing' };
      context.count(answer.outcome);
      if (answer.outcome === 'later') retryInMs = Math.max(retryInMs, answer.retryInMs);
      settle(email, outcomeOf(email, answer, subject), startedAt);
    }
  }

  const calls: Promise<void>[] = [];
  for (let from = 0; from < sendable.length; from += emailsPerCall) {
    const emails = sendable.slice(from, from + emailsPerCall);
    calls.push(
      (async () => {
        const waitMs = context.inMs(from) - (Date.now() - grantedAt);
        if (waitMs > 0) await delay(waitMs, undefined, { signal: context.signal }).catch(() => undefined);
        await context.calls.run(emails[0]?.projectId ?? '', () => call(emails));
      })(),
    );
  }
  await Promise.all(calls);
  return { records, retryInMs };
}
