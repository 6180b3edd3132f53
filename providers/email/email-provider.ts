/** A file of an email, ready to be handed over. */
export interface OutgoingAttachment {
  filename: string;
  contentType: string;
  /** Name for `cid:` references, of inline images. */
  cid: string | null;
  disposition: 'attachment' | 'inline';
  bytes: Uint8Array;
}

/** One rendered email, as a provider takes it. All header-bound values are free of CR, LF and NUL. */
export interface OutgoingEmail {
  /** Our id; goes along as the tag `emailId`, which the provider's events carry. */
  emailId: string;
  projectId: string;
  from: { email: string; name: string | null };
  to: { email: string; name: string | null };
  replyTo: string | null;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
}

/**
 * What became of a hand-over:
 * - `accepted`: the provider has it.
 * - `refused`: the provider will never take this email.
 * - `later`: certainly not taken, and a later try may succeed (throttled, paused, not reachable).
 * - `unknown`: no answer; it may have been taken.
 */
export type HandOver =
  | { outcome: 'accepted'; messageId: string }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'later'; reason: string; retryInMs: number }
  | { outcome: 'unknown'; reason: string };

/** Where emails leave. Failures are values, because each belongs to one email and never to its batch. */
export interface EmailProvider {
  readonly name: 'ses' | 'smtp';
  handOver(email: OutgoingEmail): Promise<HandOver>;
  /** Emails a second that the provider's account grants, or null when it sets no limit. */
  grantedRatePerSecond(): Promise<number | null>;
  close(): Promise<void>;
}
