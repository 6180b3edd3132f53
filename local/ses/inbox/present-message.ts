import { decodeWords } from 'postal-mime';
import type { StoredMessage } from '../mail/mail-store.ts';
import { writtenHeaders } from '../mail/written-headers.ts';
import type { SesAttachment } from '../protocol/schemas.ts';

export type InboxMessage = ReturnType<typeof presentMessage>;
export type InboxAttachment = ReturnType<typeof presentAttachment>;

export function presentMessage({ record, content }: StoredMessage) {
  // Encoded words are not decoded, unlike in addresses; repeated headers are joined by a comma.
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

function presentAttachment(attachment: SesAttachment) {
  return {
    filename: attachment.FileName,
    contentType: attachment.ContentType ?? 'application/octet-stream',
    contentId: attachment.ContentId ?? null,
    disposition: attachment.ContentDisposition === 'INLINE' ? 'inline' : 'attachment',
    size: Buffer.byteLength(attachment.RawContent, 'base64'),
  };
}
