import { decodeWords } from 'postal-mime';
import type { StoredMessage } from '../mail/mail-store.ts';
import { writtenHeaders } from '../mail/written-headers.ts';
import type { SesAttachment } from '../protocol/schemas.ts';

export interface InboxMessage {
  id: string;
  emailId: string | null;
  receivedAt: string;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string | null;
  subject: string;
  html: string | null;
  text: string | null;
  /** Encoded words are not decoded, unlike in addresses; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  attachments: InboxAttachment[];
}

export interface InboxAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  disposition: 'attachment' | 'inline';
  size: number;
}

export function presentMessage({ record, content }: StoredMessage): InboxMessage {
  const headers: Record<string, string> = {};
  for (const { name, value } of writtenHeaders(record)) {
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return {
    id: record.id,
    emailId: record.tags.emailId ?? null,
    receivedAt: new Date(record.at).toISOString(),
    from: decodeWords(record.from),
    to: record.to.map(decodeWords),
    cc: record.cc.map(decodeWords),
    bcc: record.bcc.map(decodeWords),
    replyTo: record.replyTo.length === 0 ? null : record.replyTo.map(decodeWords).join(', '),
    subject: content.subject,
    html: content.html,
    text: content.text,
    headers,
    attachments: content.attachments.map(presentAttachment),
  };
}

function presentAttachment(attachment: SesAttachment): InboxAttachment {
  return {
    filename: attachment.FileName,
    contentType: attachment.ContentType ?? 'application/octet-stream',
    contentId: attachment.ContentId ?? null,
    disposition: attachment.ContentDisposition === 'INLINE' ? 'inline' : 'attachment',
    size: Buffer.byteLength(attachment.RawContent, 'base64'),
  };
}
