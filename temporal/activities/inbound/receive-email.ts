import { LockMode } from '@mikro-orm/core';
import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { InboundStatus } from '../../../core/inbound/inbound-status.ts';
import type { EmailContent, ParsedEmail } from '../../../core/inbound/parse-email.ts';
import { receivedEventData } from '../../../core/inbound/received-event.ts';
import {
  type AutomaticReason,
  isSesMessageId,
  providerIdsOf,
  type ReceivedHeaders,
  readReceivedHeaders,
  senderDomain,
} from '../../../core/inbound/received-headers.ts';
import { isRejected } from '../../../core/inbound/verdicts.ts';
import { newId } from '../../../core/new-id.ts';
import { Event } from '../../../db/entities/event.ts';
import { InboundEmail } from '../../../db/entities/inbound-email.ts';
import type { Em } from '../../../db/orm.ts';
import {
  findAnsweredEmail,
  findSenderFacts,
  type SenderFacts,
} from '../../../db/statements/inbound/find-sender-facts.ts';
import { receiveFrom } from '../../../db/statements/inbound/receive-from.ts';
import type { MailBucket } from '../../../providers/inbound/mail-bucket.ts';
import type { EmailParser } from './email-parser.ts';

export interface InboundReader {
  bucket: MailBucket;
  parser: EmailParser;
  slots: FairSemaphore;
}

const mostEmailBytes = 30 * 1024 * 1024;
/** Emails from one sender per hour that may start workflows; more is a mail loop or a flood. */
const mostPerHour = 20;

async function readContent(
  reader: InboundReader,
  { raw, bucket, objectKey }: InboundEmail,
  signal: AbortSignal,
): Promise<ParsedEmail | undefined> {
  if (raw) return reader.parser.parse(raw);
  if (!bucket || !objectKey) return undefined;
  const bytes = await reader.bucket.read(bucket, objectKey, mostEmailBytes, signal);
  return bytes === 'too-large' ? undefined : reader.parser.parse(bytes);
}

const findPending = (em: Em, id: string, lockMode?: LockMode) =>
  em.findOne(InboundEmail, { id, status: 'PENDING' }, { lockMode, refresh: true });

/**
 * Parses an accepted email and records it for its project. Idempotent.
 *
 * @throws while the email can't be fetched
 */
export async function receiveInboundEmail(
  em: Em,
  reader: InboundReader,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const pending = await findPending(em, id);
  if (pending === null) return;
  if (isRejected(pending.verdicts)) return keepInbound(em, pending, 'REJECTED', undefined);
  const parsed = await reader.slots.run(pending.projectId, () => readContent(reader, pending, signal));
  await keepInbound(em, pending, parsed === undefined ? 'UNREADABLE' : 'KEPT', parsed);
}

export async function giveUpInboundEmail(em: Em, id: string): Promise<void> {
  const pending = await findPending(em, id);
  if (pending !== null) await keepInbound(em, pending, 'UNREADABLE', undefined);
}

function whyAutomatic(headers: ReceivedHeaders, sender: SenderFacts): AutomaticReason | null {
  if (headers.automatic !== null) return headers.automatic;
  const isOwn = sender.isDomainOfOurs && headers.messageId !== null && isSesMessageId(headers.messageId);
  if (isOwn) return 'own';
  return sender.recent >= mostPerHour ? 'flood' : null;
}

async function keepInbound(
  em: Em,
  pending: InboundEmail,
  status: InboundStatus,
  parsed: ParsedEmail | undefined,
): Promise<void> {
  const headers = readReceivedHeaders(parsed?.headers ?? pending.headers ?? [], pending.source ?? '');
  const content = parsed?.content ?? null;
  const { id, projectId } = pending;
  const sender = { email: headers.from, domain: senderDomain(headers) };
  await em.transactional(async (tx) => {
    // Locked, so that only one of two concurrent runs records it.
    const email = await findPending(tx, id, LockMode.PESSIMISTIC_WRITE);
    if (email === null) return;
    const facts = await findSenderFacts(tx, projectId, sender, mostPerHour);
    // The project is gone; its erasure deletes the rest.
    if (facts === undefined) return;
    const answers = headers.answers.flatMap(providerIdsOf);
    const emailId = facts.contactId === null ? null : await findAnsweredEmail(tx, facts.contactId, answers);
    const automatic = whyAutomatic(headers, facts);
    const event = {
      id: newId(),
      projectId,
      emailId: emailId ?? id,
      data: receivedEventData({
        ...pending,
        recipients: email.recipients,
        headers,
        emailId,
        automatic,
        content,
      }),
      occurredAt: pending.receivedAt,
    };
    const isPerson = status !== 'REJECTED' && automatic !== 'bounce' && automatic !== 'own';
    let { contactId } = facts;
    if (headers.from !== null && isPerson) {
      const startsWorkflows = automatic === null && !facts.isProjectDisabled;
      contactId = await receiveFrom(tx, headers.from, event, startsWorkflows);
    } else {
      // Only shown in the feed: starts no workflow, ends no wait, counts in no segment.
      tx.create(Event, { ...event, name: 'email.received', kind: 'activity', contactId });
    }
    tx.assign(email, {
      ...{ status, contactId, emailId, automatic, ...columnsOf(headers, content) },
      ...{ source: null, headers: null, raw: null, bucket: null, objectKey: null },
    });
  });
}

function columnsOf(headers: ReceivedHeaders, content: EmailContent | null) {
  return {
    fromEmail: headers.from,
    fromName: headers.fromName,
    subject: headers.subject,
    messageId: headers.messageId,
    inReplyTo: headers.inReplyTo,
    text: content?.text ?? null,
    html: content?.html ?? null,
    attachments: content?.attachments ?? [],
    hasContent: content !== null,
  };
}
