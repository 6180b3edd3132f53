import type { MailComposerOptions } from 'nodemailer/lib/mail-composer';
import { longestMailbox, shortenName } from '../../core/addresses/mailbox.ts';
import { encodeHeaderText, encodeWords, sanitizeHeaderValue } from '../../core/headers/header-text.ts';
import { wholeText } from '../../core/rendering/pieced-text.ts';
import type { OutgoingEmail } from './email-provider.ts';

/** Characters per line (RFC 5322, 2.1.1), without its line break. */
const mostPerLine = 998;

function toMailbox({ email, name }: { email: string; name: string | null }) {
  // nodemailer's encoded words are shorter, so it needs more of them.
  const most = Math.floor((longestMailbox - email.length) * 0.8);
  return { address: email, name: shortenName({ name }, most) };
}

// Folding at these would leave a line of spaces, which a server may take for the end of the headers (RFC 5322, 3.2.2).
const manySpaces = / {20,}/;

// Encoded words can be folded between them.
function toHeaderValue(value: string): string {
  const text = encodeHeaderText(value);
  // A continued value begins with a space, which counts.
  const isUnfoldable = text.split(' ').some((word) => word.length >= mostPerLine);
  return isUnfoldable || manySpaces.test(text) ? encodeWords(text) : text;
}

// nodemailer would write a quoted string, such as the name of a List-ID, as encoded words (RFC 2047, 5 forbids them there).
function toHeader(value: string) {
  const written = toHeaderValue(value);
  return written.includes('"') ? { prepared: true, foldLines: true, value: written } : written;
}

/** One pass: a regular expression would start over at every character of a line. */
function isLinesOfAscii(bytes: Uint8Array): boolean {
  let inLine = 0;
  // By index: an iterator takes five times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === 0 || byte > 0x7f || (byte === 0x0d && bytes[at + 1] !== 0x0a)) return false;
    inLine = byte === 0x0d || byte === 0x0a ? 0 : inLine + 1;
    if (inLine > mostPerLine) return false;
  }
  return true;
}

/** RFC 2046: the content of such a part can't be encoded. */
export const isComposite = (contentType: string) => /^(?:message|multipart)\//i.test(contentType);

// A message of lines of ASCII needs no encoding; others, and multiparts, are attached as files.
function toContentType({ contentType, bytes }: OutgoingEmail['attachments'][number]): string {
  const type = sanitizeHeaderValue(contentType);
  const isMessage = /^message\//i.test(type) && isLinesOfAscii(bytes);
  return isComposite(type) && !isMessage ? 'application/octet-stream' : type;
}

// RFC 5322, 2.3: CR and LF only together; servers refuse others, or change them. RFC 2045, 6.8: also before base64.
const toBody = (text: OutgoingEmail['text']) => wholeText(text).replace(/\r\n?|\n/g, '\r\n');

export function toMimeMessage(email: OutgoingEmail) {
  const names = new Map(Object.keys(email.headers).map((name) => [name.toLowerCase(), name]));
  const text = toBody(email.text);
  return {
    from: toMailbox(email.from),
    to: toMailbox(email.to),
    ...(email.replyTo === null ? {} : { replyTo: toMailbox({ email: email.replyTo, name: null }) }),
    subject: toHeaderValue(sanitizeHeaderValue(email.subject)),
    html: toBody(email.html),
    ...(text.trim() === '' ? {} : { text }),
    headers: Object.entries(email.headers).map(([key, value]) => ({ key, value: toHeader(value) })),
    // For names; other values are encoded here.
    textEncoding: 'B',
    // nodemailer would change the case of names.
    normalizeHeaderKey: (name: string) => names.get(name.toLowerCase()) ?? name,
    attachments: email.attachments.map((file) => ({
      filename: sanitizeHeaderValue(file.filename),
      content: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength),
      contentType: toContentType(file),
      contentDisposition: file.disposition,
      ...(file.cid === null ? {} : { cid: sanitizeHeaderValue(file.cid) }),
    })),
  } satisfies MailComposerOptions;
}

/** The complete email as ASCII MIME with lines of at most 998 characters. */
export async function buildMime(email: OutgoingEmail): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const message = {
    ...toMimeMessage(email),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return new MailComposer(message).compile().build();
}
