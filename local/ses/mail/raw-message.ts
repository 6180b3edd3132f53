import PostalMime, { type Attachment, decodeWords } from 'postal-mime';
import { isWrittenByService } from '../protocol/check-envelope.ts';
import type { SesAttachment } from '../protocol/schemas.ts';
import { badRequest } from '../protocol/ses-error.ts';
import type { MessageContent } from './message-content.ts';

const maximumBytes = 40 * 1024 * 1024;
/** Excluding the line end (API reference, RawMessage). */
const maximumLineBytes = 998;

export interface RawMessage {
  content: MessageContent;
  replyTo: string[];
  headers: [name: string, value: string][];
}

/**
 * @param data base64
 * @throws SesError BadRequestException for a message that SES would reject
 */
export async function readRawMessage(data: string): Promise<RawMessage> {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > maximumBytes) throw fault(`it is longer than ${maximumBytes} bytes.`);
  if (longestLine(bytes) > maximumLineBytes) throw fault(`a line is longer than ${maximumLineBytes} bytes.`);
  if (!bytes.includes('\r\n\r\n')) throw fault('no blank line ends the headers.');
  const email = await PostalMime.parse(bytes, { attachmentEncoding: 'base64' });
  if (email.from === undefined) throw fault('the From header is missing.');
  const valuesOf = (key: string) => email.headers.filter((header) => header.key === key);
  return {
    content: {
      subject: email.subject ?? '',
      html: email.html ?? null,
      text: email.text ?? null,
      attachments: email.attachments.map(toAttachment),
    },
    replyTo: valuesOf('reply-to').map(({ value }) => value),
    headers: email.headers
      .filter(({ key }) => !isWrittenByService(key))
      .map(({ originalKey, value }) => [originalKey, decodeWords(value)]),
  };
}

const fault = (reason: string) => badRequest(`Illegal raw message: ${reason}`);

function longestLine(bytes: Buffer): number {
  let longest = 0;
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf('\n', start);
    const end = found === -1 ? bytes.length : found;
    longest = Math.max(longest, end - start - (bytes[end - 1] === 0x0d ? 1 : 0));
    start = end + 1;
  }
  return longest;
}

function toAttachment({ filename, mimeType, disposition, contentId, content }: Attachment): SesAttachment {
  if (typeof content !== 'string') throw new TypeError('The parser did not return base64');
  return {
    RawContent: content,
    FileName: filename ?? 'attachment',
    ContentType: mimeType,
    ContentDisposition: disposition === 'inline' ? 'INLINE' : 'ATTACHMENT',
    ...(contentId !== undefined && { ContentId: contentId.replace(/^<|>$/g, '') }),
  };
}
