import type { AttachmentDisposition } from '../../core/attachment-disposition.ts';
import type { PiecedText } from '../../core/rendering/pieced-text.ts';

export interface OutgoingAttachment {
  filename: string;
  contentType: string;
  cid: string | null;
  disposition: AttachmentDisposition;
  bytes: Uint8Array;
}

/**
 * One rendered email. Addresses are as `parseEmailAddress` returns them; other texts are plain Unicode. The
 * adapter encodes headers and replaces line breaks in them with spaces.
 */
export interface OutgoingEmail {
  /** Sent as the tag `emailId`, which the provider's events carry. */
  emailId: string;
  projectId: string;
  from: { email: string; name: string | null };
  to: { email: string; name: string | null };
  replyTo: string | null;
  subject: string;
  /** Pieces let a provider send the text that many emails share only once. */
  html: string | PiecedText;
  text: string | PiecedText;
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
}

/**
 * Outcome of handing one email over:
 * - `accepted`: the provider has it.
 * - `refused`: the provider will never accept it.
 * - `later`: not accepted, a retry may succeed (throttled, paused, unreachable, misconfigured).
 * - `unknown`: no answer; it may have been accepted.
 *
 * `retryInMs` is when the provider may take emails again. With `backsOff`, its reply may concern this email alone, as a
 * greylisting does, so the email itself waits longer after each try.
 *
 * `reason` is one line of at most 500 characters.
 */
export type HandOver =
  | { outcome: 'accepted'; messageId: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'later'; reason: string; retryInMs: number; backsOff?: boolean }
  | { outcome: 'unknown'; reason: string };

/** Outcome of an email that the answer to a call does not mention. */
export const unanswered: HandOver = { outcome: 'unknown', reason: 'the provider gave no reason' };

export type FailedHandOver = Exclude<HandOver, { outcome: 'accepted' }>;

/** An AbortSignal, or an object whose `aborted` is read right before each call. */
export type Stop = Pick<AbortSignal, 'aborted'>;

/** Failures are values, because each concerns one email and never its batch. */
export interface EmailProvider {
  readonly name: 'ses' | 'smtp';
  /** How many emails `handOverMany` can hand over in one call. */
  readonly emailsPerCall: number;
  /** Most connections that it opens. Its own queue for them is first come, first served, over all projects. */
  readonly callsAtOnce: number;
  /** One attempt, without retries below it. Answers within 30 seconds plus `uploadSecondsOf` and never throws. */
  handOver(email: OutgoingEmail): Promise<HandOver>;
  /**
   * Hands each email over once, in as few calls as possible. An invalid email is refused alone, not with its call.
   * Never throws.
   *
   * @param stop once aborted, nothing more is started; emails not started are `later` with no delay. Started
   * ones answer within 30 seconds.
   * @returns an outcome per email, in their order
   */
  handOverMany(emails: readonly OutgoingEmail[], stop: Stop): Promise<HandOver[]>;
  /**
   * Emails per second granted by the provider's account; null: no limit. Cached.
   *
   * @throws Error until the provider has answered once
   */
  grantedRatePerSecond(): Promise<number | null>;
  close(): Promise<void>;
}
