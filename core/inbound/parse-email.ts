import PostalMime from 'postal-mime';
import sanitize from 'sanitize-html';
import type { ReceivedHeader } from './received-headers.ts';
import { storableLine, storableText } from './storable-text.ts';

export const mostTextLength = 256 * 1024;
export const mostHtmlLength = 1024 * 1024;
export const mostAttachments = 100;

const mostNesting = 40;
const mostHeaderBytes = 512 * 1024;
const mostHeaders = 1_000;
/** The parser's time grows with the square of the line count; 30 MB from a mail program have 400,000 lines. */
const mostLines = 1_000_000;
/** Escaping can make HTML five times as long; beyond this it is dropped. */
const mostSanitizedLength = 2 * mostHtmlLength;

export interface ReceivedAttachment {
  filename: string | null;
  contentType: string;
  size: number;
}

export interface EmailContent {
  text: string | null;
  html: string | null;
  attachments: ReceivedAttachment[];
}

export interface ParsedEmail {
  headers: ReceivedHeader[];
  content: EmailContent | null;
}

function refuseTooManyLines(raw: Uint8Array): void {
  let lines = 0;
  for (let at = raw.indexOf(10); at !== -1; at = raw.indexOf(10, at + 1)) lines += 1;
  if (lines > mostLines) throw new Error(`The email has ${lines} lines`);
}

/**
 * Parses an email; rejects structures that no mail program writes. Takes up to several seconds of CPU, so run it in a
 * worker thread.
 *
 * @param raw at most 30 MB
 * @throws Error when parts are nested too deep, or there are too many headers or lines
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

/**
 * Keeps text, structure, tables, links and images. Removes scripts, styles, forms, frames and event handlers,
 * and all URLs except web, mail, phone and the email's own parts (`cid:`).
 */
const options: sanitize.IOptions = {
  allowedTags: [...sanitize.defaults.allowedTags, 'img', 'font', 'center', 'del', 'ins'],
  allowedAttributes: {
    a: ['href', 'name', 'title', 'rel', 'target'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    font: ['color', 'size', 'face'],
    '*': ['align', 'valign', 'dir', 'lang', 'bgcolor', 'width', 'height', 'colspan', 'rowspan', 'border'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'cite'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 200,
  transformTags: {
    a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer nofollow', target: '_blank' }),
  },
  parseStyleAttributes: false,
};

export function sanitizeEmailHtml(html: string): string {
  return sanitize(html, options);
}
