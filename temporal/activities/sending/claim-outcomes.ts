import { campaignDeferralLimitMs, deferralLimitMs, longestBackOffMs } from '../../../core/claim-times.ts';
import { newId } from '../../../core/new-id.ts';
import { withholding } from '../../../core/withholding.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { HandOverRecord } from '../../../db/statements/emails/hand-overs.ts';
import { type HandOver, type OutgoingEmail, unanswered } from '../../../providers/email/email-provider.ts';
import { notBegun } from '../../../providers/email/hand-over-each.ts';

export type CountOutcome = (outcome: HandOver['outcome'] | 'suppressed') => void;

type Outcome = Pick<HandOverRecord, 'status'> &
  Partial<Pick<HandOverRecord, 'messageId' | 'reason' | 'subject' | 'triedSince' | 'retryAt'>>;

export type ProjectRecord = HandOverRecord & { projectId: string };

export class ClaimOutcomes {
  readonly records: ProjectRecord[] = [];
  readonly retryInMs = new Map<string, number>();
  readonly #count: CountOutcome;

  constructor(count: CountOutcome) {
    this.#count = count;
  }

  withhold(claimed: readonly ClaimedEmail[]): ClaimedEmail[] {
    return claimed.filter((email) => {
      if (email.toEmail === '') {
        this.fail(email, 'the contact was deleted');
        return false;
      }
      const verdict = withholding(email);
      if (verdict?.kind === 'suppress') {
        this.#count('suppressed');
        this.#record(email, { status: 'SUPPRESSED', reason: verdict.reason });
      } else if (verdict !== undefined) this.putBack(email, verdict.reason, verdict.retryInMs);
      return verdict === undefined;
    });
  }

  putBackAll(emails: Iterable<ClaimedEmail>, reason: string | null): void {
    for (const email of emails) this.putBack(email, reason, 0);
  }

  /** Returns an email to the queue: the hand-over did not begin, or the provider deferred it. */
  putBack(
    email: ClaimedEmail,
    reason: string | null,
    inMs: number,
    { triedSince = email.triedSince, retryAt = null }: Pick<Outcome, 'triedSince' | 'retryAt'> = {},
  ): void {
    this.retryInMs.set(email.id, inMs);
    this.#record(email, { status: 'QUEUED', reason, triedSince, retryAt });
  }

  fail(email: ClaimedEmail, reason: string): void {
    this.#record(email, { status: 'FAILED', reason });
  }

  /**
   * @param handedOver as rendered
   * @param answers in their order
   * @param startedAt when the hand-over began; not later than any event that the provider reports for it
   */
  answerAll(
    handedOver: ReadonlyMap<ClaimedEmail, OutgoingEmail>,
    answers: readonly HandOver[],
    startedAt: Date,
  ): void {
    for (const [index, [email, { subject }]] of [...handedOver].entries()) {
      this.answer(email, answers[index] ?? unanswered, subject, startedAt);
    }
  }

  answer(email: ClaimedEmail, answer: HandOver, subject: string, startedAt: Date): void {
    this.#count(answer.outcome);
    const limitMs = email.source === 'CAMPAIGN' ? campaignDeferralLimitMs : deferralLimitMs;
    const triedSince = email.triedSince ?? startedAt;
    const now = Date.now();
    const triedForMs = now - triedSince.getTime();
    const mayRetry = triedForMs < limitMs;
    if (answer === notBegun) this.putBack(email, notBegun.reason, notBegun.retryInMs);
    else if (answer.outcome === 'later' && mayRetry) {
      // As long again as it has waited: each wait is twice the one before.
      const waitMs = Math.max(answer.retryInMs, Math.min(triedForMs, longestBackOffMs));
      const retryAt = answer.backsOff ? new Date(now + waitMs) : null;
      this.putBack(email, answer.reason, answer.retryInMs, { triedSince, retryAt });
    } else this.#record(email, { ...finalOutcome(answer), subject }, startedAt);
  }

  #record(email: ClaimedEmail, outcome: Outcome, occurredAt = new Date()): void {
    this.records.push({
      emailId: email.id,
      projectId: email.projectId,
      eventId: newId(),
      occurredAt,
      messageId: null,
      reason: null,
      subject: null,
      ...outcome,
    });
  }
}

function finalOutcome(answer: HandOver): Outcome {
  switch (answer.outcome) {
    case 'accepted':
      return { status: 'SENT', messageId: answer.messageId };
    case 'unknown':
      return { status: 'UNKNOWN', reason: answer.reason };
    case 'refused':
    case 'later':
      return { status: 'FAILED', reason: answer.reason };
  }
}
