import type { EmailLayout } from '../../core/rendering/email-layout.ts';

/** A file of an email, ready to be handed over. */
export interface OutgoingAttachment {
  filename: string;
  contentType: string;
  /** Name for `cid:` references, of inline images. */
  cid: string | null;
  disposition: 'attachment' | 'inline';
  bytes: Uint8Array;
}

/**
 * One rendered email, as a provider takes it. Addresses are as `parseEmailAddress` gives them. All other texts are
 * plain Unicode: the adapter encodes what goes into a header, and a line break in it becomes a space.
 */
export interface OutgoingEmail {
  /** Our id; goes along as the tag `emailId`, which the provider's events carry. */
  emailId: string;
  projectId: string;
  from: { email: string; name: string | null };
  to: { email: string; name: string | null };
  replyTo: string | null;
  subject: string;
  html: string;
  /** Plain-text alternative; left out when blank. */
  text: string;
  headers: Record<string, string>;
  /** Hint for a provider that takes what many emails have in common once. */
  layout?: EmailLayout;
  attachments: OutgoingAttachment[];
}

/**
 * What became of a hand-over:
 * - `accepted`: the provider has it.
 * - `refused`: the provider will never take this email.
 * - `later`: certainly not taken, and a later try may succeed (throttled, paused, not reachable, set up wrongly).
 * - `unknown`: no answer; it may have been taken.
 *
 * A `reason` is one line of at most 500 characters.
 */
export type HandOver =
  | { outcome: 'accepted'; messageId: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'later'; reason: string; retryInMs: number }
  | { outcome: 'unknown'; reason: string };

/** A hand-over that did not succeed. */
export type FailedHandOver = Exclude<HandOver, { outcome: 'accepted' }>;

/** Where emails leave. Failures are values, because each belongs to one email and never to its batch. */
export interface EmailProvider {
  readonly name: 'ses' | 'smtp';
  /** Hands one email over, once: nothing below it tries again. Answers within 30 seconds, and never throws. */
  handOver(email: OutgoingEmail): Promise<HandOver>;
  /**
   * Hands emails over in as few calls as the provider takes them, each email once. Where one of them spoils a call,
   * only that one is refused. Never throws.
   *
   * @param signal once it is aborted nothing more is begun; what was not begun is `later`, after no time. A hand-over
   *   that has begun answers within 30 seconds.
   * @returns an outcome per email, in their order
   */
  handOverMany(emails: readonly OutgoingEmail[], signal: AbortSignal): Promise<HandOver[]>;
  /**
   * Emails a second that the provider's account grants, or null when it sets no limit. Costs nothing to ask.
   * @throws Error when the provider never told it so far
   */
  grantedRatePerSecond(): Promise<number | null>;
  close(): Promise<void>;
}
