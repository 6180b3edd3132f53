import { z } from 'zod';

export type PlannedEvent =
  | { type: 'Send' }
  | { type: 'Delivery'; recipients: string[] }
  | {
      type: 'Bounce';
      recipients: string[];
      bounceType: 'Permanent' | 'Transient';
      bounceSubType: 'General' | 'OnAccountSuppressionList';
    }
  | { type: 'Complaint'; recipients: string[] }
  | { type: 'Open' }
  | { type: 'Click'; link: string };

export interface MessageRecord {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  from: string;
  replyTo: string[];
  to: string[];
  cc: string[];
  bcc: string[];
  /** Bare addresses of to, cc and bcc. */
  recipients: string[];
  subject: string;
  headers: [name: string, value: string][];
  tags: Record<string, string>;
  configurationSet: string | null;
  events: PlannedEvent[];
  /** Position in the bulk call; null for a message with a call of its own. */
  entry: number | null;
}

const verdict = z.enum(['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED']);

export const verdictsSchema = z.object({
  spf: verdict,
  dkim: verdict,
  dmarc: verdict,
  spam: verdict,
  virus: verdict,
});
export type ReceivedVerdicts = z.output<typeof verdictsSchema>;

/** The email's bytes are in a separate file. */
export interface ReceivedRecord {
  id: string;
  at: number;
  source: string;
  recipients: string[];
  size: number;
  verdicts: ReceivedVerdicts;
}

/** An event that the webhook has not accepted yet. */
export type PendingEvent = {
  /** Ascending; unique among pending events. */
  number: number;
  /** Unique, and the same on every attempt. */
  id: string;
  at: number;
} & ({ message: MessageRecord; event: PlannedEvent } | { received: ReceivedRecord });
