import type { EmailTemplateContent } from '@aws-sdk/client-sesv2';
import type { EmailLayout } from '../../core/rendering/email-layout.ts';
import type { OutgoingEmail } from './email-provider.ts';

/**
 * Splits content between the template, sent once per call, and the data of each entry. SES inserts data verbatim:
 * it neither escapes it nor expands placeholders in it.
 */
export interface BulkLayout {
  content: EmailTemplateContent;
  bytes: number;
  /** Entry data besides the subject; undefined when the email does not fit the layout. */
  dataOf(email: OutgoingEmail): Record<string, string> | undefined;
}

// Nothing but placeholders: fits any email.
function createPlainLayout(withText: boolean): BulkLayout {
  const content = { Subject: '{{subject}}', Html: '{{html}}', ...(withText && { Text: '{{text}}' }) };
  return {
    content,
    bytes: JSON.stringify(content).length,
    dataOf: ({ html, text }): Record<string, string> => (withText ? { html, text } : { html }),
  };
}

const plainLayouts = { withText: createPlainLayout(true), htmlOnly: createPlainLayout(false) };

const hasText = (email: OutgoingEmail) => /\S/.test(email.text);

export const plainLayoutOf = (email: OutgoingEmail): BulkLayout =>
  hasText(email) ? plainLayouts.withText : plainLayouts.htmlOnly;

const longestPart = 256 * 1024;
// Searching a piece by its head bounds the cost of repetitive text.
const headLength = 256;

const sharedLayouts = new WeakMap<EmailLayout, BulkLayout | 'useless'>();

/** A layout with the email's common parts in the template; undefined if it has none. Cached per `EmailLayout`. */
export function sharedLayoutOf(email: OutgoingEmail): BulkLayout | undefined {
  if (email.layout === undefined || !hasText(email)) return undefined;
  const known = sharedLayouts.get(email.layout);
  if (known !== undefined) return known === 'useless' ? undefined : known;
  const made = createSharedLayout(email.layout);
  sharedLayouts.set(email.layout, made ?? 'useless');
  return made;
}

// Excludes pieces that SES could read as part of a placeholder.
const isPlain = (piece: string) => !piece.includes('{{') && !/^\}|[{\\]$/.test(piece);

function createSharedLayout(layout: EmailLayout): BulkLayout | undefined {
  const pieces = { h: layout.html.filter(isPlain), t: layout.text.filter(isPlain) };
  if (pieces.h.length + pieces.t.length === 0) return undefined;
  const keysOf = (prefix: 'h' | 't') => [...pieces[prefix], ''].map((_, index) => `${prefix}${index}`);
  const keys = { h: keysOf('h'), t: keysOf('t') };
  const templateOf = (prefix: 'h' | 't') =>
    keys[prefix].map((key, index) => `{{${key}}}${pieces[prefix][index] ?? ''}`).join('');
  const content = { Subject: '{{subject}}', Html: templateOf('h'), Text: templateOf('t') };
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > longestPart) return undefined;
  return {
    content,
    bytes,
    dataOf(email) {
      const data: Record<string, string> = {};
      const isMade = fill(data, keys.h, email.html, pieces.h) && fill(data, keys.t, email.text, pieces.t);
      return isMade ? data : undefined;
    },
  };
}

// Stores the text between the pieces; false unless the text has all pieces in order.
function fill(
  data: Record<string, string>,
  keys: readonly string[],
  text: string,
  pieces: readonly string[],
): boolean {
  if (text.length > longestPart) return false;
  let from = 0;
  for (const [index, key] of keys.entries()) {
    const piece = pieces[index];
    if (piece === undefined) {
      data[key] = text.slice(from);
      continue;
    }
    const at = text.indexOf(piece.length > headLength ? piece.slice(0, headLength) : piece, from);
    if (at === -1 || (piece.length > headLength && !text.startsWith(piece, at))) return false;
    data[key] = text.slice(from, at);
    from = at + piece.length;
  }
  return true;
}
