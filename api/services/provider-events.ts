import { z } from 'zod';
import { newId } from '../../core/new-id.ts';
import type { BatchTrace } from '../../db/batching/batch-trace.ts';
import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import { retrySerialization } from '../../db/batching/retry-serialization.ts';
import type { Orm } from '../../db/orm.ts';
import {
  applyProviderEvents,
  type ProviderEventInput,
  type ProviderEventKind,
  type ProviderEventOutcome,
} from '../../db/repositories/emails/apply-provider-events.ts';
import { type SesEvent, sesEventSchema } from '../../providers/sns/ses-event.ts';

export type NotificationOutcome = ProviderEventOutcome | 'over_limit' | 'ignored';

export interface ProviderEventsService {
  /**
   * Applies one notification of the provider, once however often it comes. Answers after the commit.
   *
   * @param notificationId a UUID, the same for every delivery of the notification
   * @param message the event as JSON text; what is not an event of one of our emails is `ignored` or `unknown`
   */
  apply(notificationId: string, message: string): Promise<NotificationOutcome>;
}

const kinds = new Map<string, ProviderEventKind>(
  Object.entries({
    Send: 'send',
    Delivery: 'delivery',
    Open: 'open',
    Click: 'click',
    Bounce: 'bounce',
    Complaint: 'complaint',
    Reject: 'reject',
    'Rendering Failure': 'reject',
  }),
);

const uuid = z.uuid();

function parseEvent(message: string): SesEvent | undefined {
  try {
    return sesEventSchema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

function toInput(notificationId: string, event: SesEvent): ProviderEventInput | undefined {
  const kind = kinds.get(event.eventType);
  const emailId = uuid.safeParse(event.mail.tags.emailId?.[0]).data;
  if (kind === undefined || emailId === undefined) return undefined;
  const detail = event.delivery ?? event.open ?? event.click ?? event.bounce ?? event.complaint;
  return {
    notificationId,
    emailId,
    kind,
    occurredAt: new Date(detail?.timestamp ?? event.mail.timestamp),
    messageId: event.mail.messageId ?? null,
    subject: event.mail.commonHeaders?.subject ?? null,
    link: event.click?.link ?? null,
    bounceType: event.bounce?.bounceType ?? null,
    sentEventId: newId(),
    eventId: newId(),
    unsubscribeEventId: newId(),
  };
}

/** About what an event takes beside its texts. */
const rowBytes = 500;
/** Events that wait for a batch; SNS delivers again what is refused. */
const waitingBytes = 64 * 1024 * 1024;

/** Applies the provider's events, those that arrive together in one statement. */
export function createProviderEventsService(
  orm: Orm,
  committed: () => void,
  trace?: BatchTrace,
): ProviderEventsService {
  const batcher = createBatcher<ProviderEventInput, ProviderEventOutcome>({
    run: (events) => retrySerialization(() => applyProviderEvents(orm.em.fork(), events)),
    maxItems: 500,
    concurrency: 2,
    weightOf: (event) => rowBytes + (event.link?.length ?? 0) + (event.subject?.length ?? 0),
    maxWaitingWeight: waitingBytes,
    keysOf: (event) => [event.emailId],
    isRolledBack,
    trace,
  });
  return {
    async apply(notificationId, message) {
      const event = parseEvent(message);
      const input = event && toInput(notificationId, event);
      if (input === undefined) return 'ignored';
      const outcome = await batcher.submit(input);
      committed();
      return outcome;
    },
  };
}
