import { z } from 'zod';
import { tryParseJson } from '../../core/json-value.ts';
import { newIds } from '../../core/new-id.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { Batcher } from '../../db/batching/batcher.ts';
import type { Orm } from '../../db/orm.ts';
import { retryTransaction } from '../../db/retry-transaction.ts';
import {
  applyProviderEvents,
  type ProviderEventInput,
  type ProviderEventKind,
  type ProviderEventOutcome,
} from '../../db/statements/emails/apply-provider-events.ts';
import { type SesEvent, sesEventSchema } from '../../providers/sns/ses-event.ts';

export type NotificationOutcome = ProviderEventOutcome | 'over_limit' | 'ignored';

/** Both are the same for every delivery of a notification, and signed. */
export interface Notification {
  id: string;
  publishedAt: Date;
}

/** UTC day: the partition key of handled notifications. */
export const publishedOn = ({ publishedAt }: Notification) => publishedAt.toISOString().slice(0, 10);

const kinds = new Map<string, ProviderEventKind>([
  ['Send', 'send'],
  ['Delivery', 'delivery'],
  ['Open', 'open'],
  ['Click', 'click'],
  ['Bounce', 'bounce'],
  ['Complaint', 'complaint'],
  ['Reject', 'reject'],
  ['Rendering Failure', 'reject'],
]);

const uuid = z.uuid();

/** The recipient server's reply, or the closest text from SES. */
function diagnosticOf({ bounce, complaint }: SesEvent): string | null {
  const recipient = bounce?.bouncedRecipients?.[0];
  return (
    recipient?.diagnosticCode ||
    recipient?.status ||
    bounce?.bounceSubType ||
    complaint?.complaintFeedbackType ||
    complaint?.complaintSubType ||
    null
  );
}

/** Subtype of a bounce or a complaint: SES accepted the email but did not send it. */
const onAccountSuppressionList = 'OnAccountSuppressionList';

/**
 * Feedback reports in which nobody complains: the reader moved the email out of the spam folder (RFC 6430), or a server
 * says that SPF, DKIM or DMARC failed (RFC 6591).
 */
const noComplaints = new Set(['not-spam', 'auth-failure']);

function toInput(notification: Notification, event: SesEvent): ProviderEventInput | undefined {
  const kind = kinds.get(event.eventType);
  const emailId = uuid.safeParse(event.mail.tags.emailId?.[0]).data;
  if (kind === undefined || emailId === undefined) return undefined;
  if (noComplaints.has(event.complaint?.complaintFeedbackType ?? '')) return undefined;
  const [sentEventId = '', eventId = '', unsubscribeEventId = ''] = newIds(3);
  const detail = event.delivery ?? event.open ?? event.click ?? event.bounce ?? event.complaint;
  return {
    notificationId: notification.id,
    publishedOn: publishedOn(notification),
    taggedProjectId: event.mail.tags.projectId?.[0] ?? '',
    emailId,
    kind,
    occurredAt: new Date(detail?.timestamp ?? event.mail.timestamp),
    messageId: event.mail.messageId ?? null,
    subject: event.mail.commonHeaders?.subject ?? null,
    link: event.click?.link ?? null,
    bounceType: event.bounce?.bounceType ?? null,
    isListed: (event.bounce?.bounceSubType ?? event.complaint?.complaintSubType) === onAccountSuppressionList,
    diagnostic: diagnosticOf(event),
    sentEventId,
    eventId,
    unsubscribeEventId,
  };
}

const rowBytes = 500;
const waitingBytes = 64 * 1024 * 1024;

export type ProviderEventsService = ReturnType<typeof createProviderEventsService>;

export function createProviderEventsService(
  orm: Orm,
  committed: () => void,
  trace?: BatchTrace,
  applied: (event: ProviderEventInput) => void = () => undefined,
) {
  const batcher = new Batcher<ProviderEventInput, ProviderEventOutcome>({
    run: (events, lockMs) => retryTransaction(() => applyProviderEvents(orm.em.fork(), events, lockMs)),
    maxItems: 500,
    concurrency: 2,
    minBeside: 100,
    weightOf: (event) =>
      rowBytes + (event.link?.length ?? 0) + (event.subject?.length ?? 0) + (event.diagnostic?.length ?? 0),
    maxWaitingWeight: waitingBytes,
    groupOf: (event) => event.taggedProjectId,
    keysOf: (event) => [event.emailId],
    limitsLocks: true,
    trace,
  });
  return {
    /**
     * Applies a provider notification; repeated deliveries are idempotent. Returns after the commit.
     * @param message the event as JSON; `ignored` unless it is an event of a tagged email, `unknown` when the email
     * does not exist
     */
    async apply(notification: Notification, message: string) {
      const event = sesEventSchema.safeParse(tryParseJson(message)).data;
      const input = event && toInput(notification, event);
      if (input === undefined) return 'ignored';
      const outcome = await batcher.submit(input);
      committed();
      if (outcome === 'applied') applied(input);
      return outcome;
    },
  };
}
