import { addressParser, decodeWords } from 'postal-mime';
import { domainOfAddress, parseEmailAddress } from '../addresses/email-address.ts';
import { storableLine } from './storable-text.ts';

export interface ReceivedHeader {
  name: string;
  /** Unfolded; encoded words may still be encoded. */
  value: string;
}

/**
 * Why an email that came in starts nothing by itself: nobody wrote it (`auto-submitted`), it went to many (`bulk`), it
 * has no sender to answer (`bounce`), it is one of ours that came back (`own`), or the sender writes without a pause
 * (`flood`).
 */
export type AutomaticReason = 'auto-submitted' | 'bulk' | 'bounce' | 'own' | 'flood';

/** What the headers of an email say, whoever wrote them: nothing here is proven. */
export interface ReceivedHeaders {
  /** Normalised; null where the email names no sender that could be written to. */
  from: string | null;
  fromName: string | null;
  subject: string;
  /** Ids without angle brackets. */
  messageId: string | null;
  inReplyTo: string | null;
  /** The ids that the email may answer, the likeliest first: In-Reply-To, then References from the last. */
  answers: string[];
  automatic: AutomaticReason | null;
}

/** Characters of a subject, a name and a message id. */
const mostSubject = 998;
const mostName = 320;
const mostId = 512;
/** Ids that are looked for; a thread has far fewer, and the first and the last tell enough. */
const mostAnswers = 20;
/** Characters of a header that are read. */
const mostValue = 16 * 1024;

/** The headers that `readReceivedHeaders` reads, in lower case. */
export const readHeaderNames: ReadonlySet<string> = new Set([
  'from',
  'subject',
  'message-id',
  'in-reply-to',
  'references',
  'return-path',
  'content-type',
  'auto-submitted',
  'x-autoreply',
  'x-autorespond',
  'precedence',
]);

const bulkPrecedence = new Set(['bulk', 'junk', 'list', 'auto_reply']);
const systemSenders = new Set(['mailer-daemon', 'postmaster']);

/** The ids of SES's own emails; a sending host of SES is under one of these names. */
const sesId = /^([^@]+)@(?:email|[a-z0-9-]+)\.amazonses\.com$/i;

/** The provider's id of an email by the id in its headers: SES adds a host, SMTP servers keep what was sent. */
export function providerIdsOf(messageId: string): string[] {
  const own = sesId.exec(messageId)?.[1];
  return own === undefined ? [messageId] : [messageId, own];
}

/** Whether an email with such an id left through SES. */
export function isSesMessageId(messageId: string): boolean {
  return sesId.test(messageId);
}

function idsIn(value: string): string[] {
  const ids = value.match(/<[^<>\s]{1,510}>/g)?.map((id) => id.slice(1, -1)) ?? [];
  const bare = value.trim();
  return ids.length === 0 && /^[^<>\s]{3,510}$/.test(bare) ? [bare] : ids;
}

function whyAutomatic(
  headerOf: (name: string) => string,
  source: string,
): 'auto-submitted' | 'bulk' | 'bounce' | null {
  const submitted = headerOf('auto-submitted').trim().toLowerCase();
  if (submitted !== '' && !/^no\b/.test(submitted)) return 'auto-submitted';
  if (headerOf('x-autoreply') !== '' || headerOf('x-autorespond') !== '') return 'auto-submitted';
  if (bulkPrecedence.has(headerOf('precedence').trim().toLowerCase())) return 'bulk';
  const isReport = /^\s*multipart\/report\b/i.test(headerOf('content-type'));
  const localPart = source.replace(/^<|>$/g, '').split('@')[0]?.toLowerCase() ?? '';
  const isWithoutReturnPath = localPart === '' || /^\s*<>/.test(headerOf('return-path'));
  return isReport || isWithoutReturnPath || systemSenders.has(localPart) ? 'bounce' : null;
}

/**
 * Reads what Posthaste needs from the headers of an email. Never throws, whatever they hold; all texts are bounded and
 * fit for storing.
 *
 * @param source the sender of the envelope; empty for what is not to be answered
 */
export function readReceivedHeaders(headers: readonly ReceivedHeader[], source: string): ReceivedHeaders {
  const values = new Map<string, string>();
  for (const { name, value } of headers) {
    const key = name.trim().toLowerCase();
    // The first of several: a mail reader shows that one.
    if (readHeaderNames.has(key) && !values.has(key)) values.set(key, value.slice(0, mostValue));
  }
  const headerOf = (name: string) => values.get(name) ?? '';
  const sender = addressParser(headerOf('from'), { flatten: true }).find(
    ({ address }) => address !== undefined && parseEmailAddress(address) !== undefined,
  );
  const ids = [...idsIn(headerOf('in-reply-to')), ...idsIn(headerOf('references')).reverse()];
  const line = (text: string, most: number) => storableLine(text, most) || null;
  const id = (text: string | undefined) => (text === undefined ? null : line(text, mostId));
  return {
    from: parseEmailAddress(sender?.address ?? '') ?? null,
    fromName: line(sender?.name ?? '', mostName),
    subject: storableLine(decodeWords(headerOf('subject')), mostSubject),
    messageId: id(idsIn(headerOf('message-id'))[0]),
    inReplyTo: id(idsIn(headerOf('in-reply-to'))[0]),
    answers: [...new Set(ids.map((one) => storableLine(one, mostId)))].slice(0, mostAnswers),
    automatic: whyAutomatic(headerOf, source),
  };
}

/** The domain that an email says it is from; null without a sender. */
export function senderDomain({ from }: ReceivedHeaders): string | null {
  return from === null ? null : domainOfAddress(from);
}
