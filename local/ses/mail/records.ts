import { z } from 'zod';

// Lines of `mail.log`, one JSON object each. The log is append-only; replaying it restores every message and every
// undelivered event.

const plannedEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Send') }),
  z.object({ type: z.literal('Delivery'), recipients: z.array(z.string()) }),
  z.object({
    type: z.literal('Bounce'),
    recipients: z.array(z.string()),
    bounceType: z.enum(['Permanent', 'Transient']),
    bounceSubType: z.enum(['General', 'OnAccountSuppressionList']),
  }),
  z.object({ type: z.literal('Complaint'), recipients: z.array(z.string()) }),
  z.object({ type: z.literal('Open') }),
  z.object({ type: z.literal('Click'), link: z.string() }),
]);

export type PlannedEvent = z.output<typeof plannedEvent>;

const messageFields = {
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  from: z.string(),
  replyTo: z.array(z.string()),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  /** Bare addresses of to, cc and bcc. */
  recipients: z.array(z.string()),
  subject: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  tags: z.record(z.string(), z.string()),
  configurationSet: z.string().nullable(),
  events: z.array(plannedEvent),
  entry: z.number().nullable(),
};

const messageRecord = z.object({
  kind: z.literal('message'),
  ...messageFields,
  /** Number of the first event in `events`; the others follow. Event numbers are never reused. */
  firstEvent: z.number(),
  /** Position of the call's JSON in `bodies.log`, in bytes. */
  body: z.object({ offset: z.number(), length: z.number() }),
});

const eventRecord = z.object({
  kind: z.literal('event'),
  messageId: z.string(),
  event: plannedEvent,
  number: z.number(),
  at: z.number(),
});

const verdict = z.enum(['PASS', 'FAIL', 'GRAY', 'PROCESSING_FAILED', 'DISABLED']);

export const verdictsSchema = z.object({
  spf: verdict,
  dkim: verdict,
  dmarc: verdict,
  spam: verdict,
  virus: verdict,
});
export type ReceivedVerdicts = z.output<typeof verdictsSchema>;

const receivedFields = {
  id: z.string(),
  at: z.number(),
  source: z.string(),
  recipients: z.array(z.string()),
  size: z.number(),
  verdicts: verdictsSchema,
};

/** The email's bytes are in a separate file. */
const receivedRecord = z.object({ kind: z.literal('received'), ...receivedFields, number: z.number() });

const deliveredRecord = z.object({ kind: z.literal('delivered'), numbers: z.array(z.number()) });

const clearedRecord = z.object({ kind: z.literal('cleared'), nextEvent: z.number() });

export const logRecordSchema = z.discriminatedUnion('kind', [
  messageRecord,
  eventRecord,
  receivedRecord,
  deliveredRecord,
  clearedRecord,
]);

export type LogRecord = z.output<typeof logRecordSchema>;
export type MessageRecord = z.output<typeof messageRecord>;
export type NewMessage = z.output<z.ZodObject<typeof messageFields>>;
export type ReceivedRecord = z.output<typeof receivedRecord>;
export type NewReceived = z.output<z.ZodObject<typeof receivedFields>>;
