import { mostEmailBytes, type ParsedEmail } from '../../core/inbound/parse-email.ts';
import { receivedEventData } from '../../core/inbound/received-event.ts';
import {
  type AutomaticReason,
  isSesMessageId,
  providerIdsOf,
  type ReceivedHeaders,
  readReceivedHeaders,
  senderDomain,
} from '../../core/inbound/received-headers.ts';
import { isRejected } from '../../core/inbound/verdicts.ts';
import { newId } from '../../core/new-id.ts';
import type { InboundStatus } from '../../db/entities/inbound-email.ts';
import type { Em } from '../../db/orm.ts';
import { noteReceived, receiveFrom, recordInbound } from '../../db/repositories/inbound/keep-inbound.ts';
import {
  findAnsweredEmail,
  findPendingInbound,
  findSenderFacts,
  holdPendingInbound,
  type PendingInbound,
  type SenderFacts,
} from '../../db/repositories/inbound/pending-inbound.ts';
import type { MailBucket } from '../../providers/inbound/mail-bucket.ts';
import type { CallSlots } from '../campaigns/call-slots.ts';
import type { EmailParser } from './email-parser.ts';

export interface InboundReader {
  bucket: MailBucket;
  parser: EmailParser;
  /** Emails that are in memory at a time. */
  slots: CallSlots;
}

/** Emails of one sender in an hour that start something: more are a loop of two machines, or a flood. */
const mostPerHour = 20;

/** Undefined for what is not read: an email without a place, too large, or none. */
async function readContent(
  reader: InboundReader,
  { raw, bucket, objectKey }: PendingInbound,
  signal: AbortSignal,
): Promise<ParsedEmail | undefined> {
  if (raw !== null) return reader.parser.parse(raw);
  if (bucket === null || objectKey === null) return undefined;
  const bytes = await reader.bucket.read(bucket, objectKey, mostEmailBytes, signal);
  return bytes === 'too-large' ? undefined : reader.parser.parse(bytes);
}

/**
 * Reads an email that was accepted, and lets its project know. Can be cut off and repeated.
 *
 * @throws while the email can't be fetched
 */
export async function receiveInboundEmail(
  em: Em,
  reader: InboundReader,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const pending = await findPendingInbound(em, id);
  if (pending === undefined) return;
  if (isRejected(pending.verdicts)) return keepInbound(em, pending, 'REJECTED', undefined);
  const parsed = await reader.slots.run(pending.projectId, () => readContent(reader, pending, signal));
  await keepInbound(em, pending, parsed === undefined ? 'UNREADABLE' : 'KEPT', parsed);
}

/** Keeps an email that could not be fetched without its content. */
export async function giveUpInboundEmail(em: Em, id: string): Promise<void> {
  const pending = await findPendingInbound(em, id);
  if (pending !== undefined) await keepInbound(em, pending, 'UNREADABLE', undefined);
}

function whyAutomatic(headers: ReceivedHeaders, sender: SenderFacts): AutomaticReason | null {
  if (headers.automatic !== null) return headers.automatic;
  const isOwn = sender.isDomainOfOurs && headers.messageId !== null && isSesMessageId(headers.messageId);
  if (isOwn) return 'own';
  return sender.recent >= mostPerHour ? 'flood' : null;
}

async function keepInbound(
  em: Em,
  pending: PendingInbound,
  status: InboundStatus,
  parsed: ParsedEmail | undefined,
): Promise<void> {
  const headers = readReceivedHeaders(parsed?.headers ?? pending.headers, pending.source);
  const content = parsed?.content ?? null;
  const { id, projectId } = pending;
  const sender = { email: headers.from, domain: senderDomain(headers) };
  await em.transactional(async (tx) => {
    if (!(await holdPendingInbound(tx, id))) return;
    const facts = await findSenderFacts(tx, projectId, sender, mostPerHour);
    // The erasure of the project takes the rest.
    if (facts === undefined) return;
    const answers = headers.answers.flatMap(providerIdsOf);
    const emailId = facts.contactId === null ? null : await findAnsweredEmail(tx, facts.contactId, answers);
    const automatic = whyAutomatic(headers, facts);
    const event = {
      id: newId(),
      projectId,
      emailId: emailId ?? id,
      data: receivedEventData({ ...pending, headers, emailId, automatic, content }),
      occurredAt: pending.receivedAt,
    };
    const isPerson = status !== 'REJECTED' && automatic !== 'bounce' && automatic !== 'own';
    let { contactId } = facts;
    if (headers.from !== null && isPerson) {
      const isHeard = automatic === null && !facts.isProjectDisabled;
      contactId = await receiveFrom(tx, headers.from, event, isHeard);
    } else {
      await noteReceived(tx, event, contactId);
    }
    await recordInbound(tx, id, { status, contactId, emailId, headers, automatic, content });
  });
}
