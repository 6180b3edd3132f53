import PostalMime from 'postal-mime';
import type { ReceivedHeader } from './received-headers.ts';
import { sanitizeEmailHtml } from './sanitize-html.ts';
import { storableLine, storableText } from './storable-text.ts';

/** Bytes of an email whose content is kept. */
export const mostEmailBytes = 30 * 1024 * 1024;
/** Characters of the plain text that are kept. */
export const mostTextLength = 256 * 1024;
/** Characters of the HTML that are read; the rest of a longer one is lost. */
export const mostHtmlLength = 1024 * 1024;
/** Attachments that are listed. */
export const mostAttachments = 100;

/** Levels of parts within parts; what is deeper is no email of a mail program. */
const mostNesting = 40;
const mostHeaderBytes = 512 * 1024;
const mostHeaders = 1_000;
/** Lines of an email. The time of the parser grows with their square; 30 MB of a mail program are 400,000. */
const mostLines = 1_000_000;
/** Escaping may make HTML five times as long; beyond this it is left out. */
const mostSanitizedLength = 2 * mostHtmlLength;

export interface ReceivedAttachment {
  filename: string | null;
  contentType: string;
  /** Bytes, decoded. */
  size: number;
}

/** What is kept of an email. */
export interface EmailContent {
  text: string | null;
  /** Sanitised. */
  html: string | null;
  attachments: ReceivedAttachment[];
}

export interface ParsedEmail {
  headers: ReceivedHeader[];
  /** Null when the email is empty. */
  content: EmailContent | null;
}

function refuseTooManyLines(raw: Uint8Array): void {
  let lines = 0;
  for (let at = raw.indexOf(10); at !== -1; at = raw.indexOf(10, at + 1)) lines += 1;
  if (lines > mostLines) throw new Error(`The email has ${lines} lines`);
}

/**
 * Takes an email apart; what no mail program writes is refused. It computes for some seconds at worst, so it belongs
 * into a thread of its own.
 *
 * @param raw at most `mostEmailBytes`
 * @throws Error for parts nested too deep, or more headers or lines than an email has
 */
export async function parseEmail(raw: Uint8Array): Promise<ParsedEmail> {
  refuseTooManyLines(raw);
  const email = await PostalMime.parse(raw, {
    maxNestingDepth: mostNesting,
    maxHeadersSize: mostHeaderBytes,
    maxRfc822NestingDepth: 3,
  });
  const sanitized = sanitizeEmailHtml(storableText(email.html ?? '', mostHtmlLength));
  const html =
    sanitized.length > mostSanitizedLength ? '' : storableText(sanitized, mostSanitizedLength).trim();
  const content: EmailContent = {
    text: storableText(email.text ?? '', mostTextLength).trim() || null,
    html: html || null,
    attachments: email.attachments.slice(0, mostAttachments).map((file) => ({
      filename: file.filename === null ? null : storableLine(file.filename, 255) || null,
      contentType: storableLine(file.mimeType, 255) || 'application/octet-stream',
      size: typeof file.content === 'string' ? Buffer.byteLength(file.content) : file.content.byteLength,
    })),
  };
  const isEmpty = content.text === null && content.html === null && content.attachments.length === 0;
  return {
    headers: email.headers.slice(0, mostHeaders).map(({ key, value }) => ({ name: key, value })),
    content: isEmpty ? null : content,
  };
}
