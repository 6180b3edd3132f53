import { domainOfAddress, parseEmailAddress } from '../../core/addresses/email-address.ts';
import { boundedInstant } from '../../core/bounded-instant.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { type ReceivedHeader, readHeaderNames } from '../../core/inbound/received-headers.ts';
import { storableText } from '../../core/inbound/storable-text.ts';
import { verdictsSchema } from '../../core/inbound/verdicts.ts';
import { tryParseJson } from '../../core/json-value.ts';
import { recordOf } from '../../core/record-of.ts';
import { InboundEmail, isRead } from '../../db/entities/inbound-email.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type ArrivalOutcome,
  type ArrivedEmail,
  acceptInbound,
} from '../../db/statements/inbound/accept-inbound.ts';
import { type SesReceived, sesReceivedSchema } from '../../providers/sns/ses-received.ts';
import { createProjectPlaces } from './project-places.ts';
import { type Notification, publishedOn } from './provider-events.ts';

export interface InboundOptions {
  orm: Orm;
  isEnabled: boolean;
  buckets: readonly string[];
  committed: () => void;
}

const mostRecipients = 100;

/** SES truncates long header lists, so the common headers are added. */
function headersOf({ headers, commonHeaders }: SesReceived['mail']): ReceivedHeader[] {
  const common = [
    { name: 'From', value: commonHeaders.from?.join(', ') },
    { name: 'Subject', value: commonHeaders.subject },
    { name: 'Message-ID', value: commonHeaders.messageId },
    { name: 'Return-Path', value: commonHeaders.returnPath },
  ];
  const all = [...headers, ...common.filter(({ value }) => value != null)];
  return all
    .filter(({ name }) => readHeaderNames.has(name.toLowerCase()))
    .map(({ name, value }) => ({ name, value: storableText(value ?? '', 16 * 1024) }));
}

function toArrival(notification: Notification, { mail, receipt, content }: SesReceived): ArrivedEmail {
  const { action } = receipt;
  const addresses = receipt.recipients.length > 0 ? receipt.recipients : mail.destination;
  const recipients = addresses
    .slice(0, mostRecipients)
    .map(parseEmailAddress)
    .filter((address) => address !== undefined);
  return {
    notificationId: notification.id,
    publishedOn: publishedOn(notification),
    providerId: mail.messageId,
    source: storableText(mail.source, 512),
    recipients: [...new Set(recipients)],
    verdicts: recordOf(
      verdictsSchema.keyof().options,
      (verdict) => receipt[`${verdict}Verdict`]?.status ?? 'DISABLED',
    ),
    headers: headersOf(mail),
    raw: action.type === 'SNS' && content !== undefined ? Buffer.from(content, action.encoding) : null,
    object: action.type === 'S3' ? { bucket: action.bucketName, key: action.objectKey } : null,
    receivedAt: boundedInstant(new Date(mail.timestamp)),
  };
}

/** Of all projects, whose emails take turns: each holds a connection while it waits for those before it to be counted. */
const acceptedAtOnce = 2;

const receiverOf = ({ recipients: [first] }: ArrivedEmail) =>
  first === undefined ? '' : domainOfAddress(first);

export type InboundService = ReturnType<typeof createInboundService>;

export function createInboundService({ orm, isEnabled, buckets, committed }: InboundOptions) {
  const places = createProjectPlaces(acceptedAtOnce, {
    inAll: new FairSemaphore(acceptedAtOnce),
    what: 'received emails',
    // A refusal with 429 could lose an email: not every sender of notifications repeats it.
    mostWaiting: Number.POSITIVE_INFINITY,
  });
  /** By notification, until accepted. A sender repeats one that has no answer in time, Amazon SNS after 15 seconds. */
  const underWay = new Map<string, Promise<ArrivalOutcome>>();

  function acceptOnce(email: ArrivedEmail): Promise<ArrivalOutcome> {
    const id = email.notificationId;
    const first = underWay.get(id);
    if (first !== undefined) return first.then(() => 'duplicate');
    const outcome = places
      .run(receiverOf(email), () => orm.em.fork().transactional((em) => acceptInbound(em, email)))
      .finally(() => underWay.delete(id));
    underWay.set(id, outcome);
    return outcome;
  }

  return {
    /**
     * Accepts a received email that the provider reports; repeats are idempotent. Returns after the commit.
     * @returns undefined for other notifications, and when receiving is disabled
     * @throws DomainError `FORBIDDEN` for an email in a bucket that is not configured, `SERVICE_UNAVAILABLE` when its turn
     * does not come in time
     */
    async accept(notification: Notification, message: string) {
      const received = isEnabled ? sesReceivedSchema.safeParse(tryParseJson(message)).data : undefined;
      if (received === undefined) return undefined;
      const email = toArrival(notification, received);
      if (email.object !== null && !buckets.includes(email.object.bucket)) {
        throw new DomainError('FORBIDDEN', 'The email is in a bucket that is not configured', {
          details: { reason: 'bucket' },
        });
      }
      const outcome = await acceptOnce(email);
      if (outcome === 'applied') committed();
      return outcome;
    },

    /** @throws DomainError `NOT_FOUND`, also until the email has been read */
    async get(projectId: string, id: string) {
      const email = await orm.em.fork().findOne(InboundEmail, { id, projectId });
      if (email === null || !isRead(email)) throw notFound('Email');
      return email;
    },
  };
}
