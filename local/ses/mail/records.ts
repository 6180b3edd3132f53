import { z } from 'zod';

// Lines of `mail.log`, one JSON object each. The log is append-only, and reading it from its first line gives back
// every message and every event that was not delivered.

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

/** What the provider is going to say about a message. `recipients` are bare addresses. */
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
  /** Position in the bulk call, `null` for a single one. */
  entry: z.number().nullable(),
};

const messageRecord = z.object({
  kind: z.literal('message'),
  ...messageFields,
  /** Number of the first of `events`; the others follow. Every event has a number of its own, never used twice. */
  firstEvent: z.number(),
  /** Where the call's JSON is in `bodies.log`, in bytes. */
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

/** What the provider found out about an email that came in. */
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
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Sender of the envelope. */
  source: z.string(),
  recipients: z.array(z.string()),
  /** Bytes. */
  size: z.number(),
  verdicts: verdictsSchema,
};

/** An email that came in, itself an event; its bytes are a file of their own. */
const receivedRecord = z.object({ kind: z.literal('received'), ...receivedFields, number: z.number() });

const deliveredRecord = z.object({ kind: z.literal('delivered'), numbers: z.array(z.number()) });

const clearedRecord = z.object({ kind: z.literal('cleared'), nextEvent: z.number() });

/** One line of the log. */
export const logRecordSchema = z.discriminatedUnion('kind', [
  messageRecord,
  eventRecord,
  receivedRecord,
  deliveredRecord,
  clearedRecord,
]);

export type LogRecord = z.output<typeof logRecordSchema>;
/** An accepted message without its content. */
export type MessageRecord = z.output<typeof messageRecord>;
/** An accepted message before it has a place in the files. */
export type NewMessage = z.output<z.ZodObject<typeof messageFields>>;
/** An email that came in. */
export type ReceivedRecord = z.output<typeof receivedRecord>;
/** An email that came in before its event has a number. */
export type NewReceived = z.output<z.ZodObject<typeof receivedFields>>;
