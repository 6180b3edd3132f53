import type { EmailTemplateContent } from '@aws-sdk/client-sesv2';
import { gapsOf, noPieces, type PiecedText, wholeText } from '../../core/rendering/pieced-text.ts';
import type { OutgoingEmail } from './email-provider.ts';

/**
 * Splits content between the template, sent once per call, and the data of each entry. SES inserts data verbatim:
 * it neither escapes it nor expands placeholders in it.
 */
export interface BulkLayout {
  content: EmailTemplateContent;
  bytes: number;
  /** Names of the texts between the pieces. */
  htmlKeys: readonly string[];
  textKeys: readonly string[];
}

const longestPart = 256 * 1024;
const noText: readonly string[] = [];

const layouts = new WeakMap<readonly string[], WeakMap<readonly string[], BulkLayout | null>>();

/** @returns null for pieces that can't be part of a template */
function layoutOf(html: readonly string[], text: readonly string[]): BulkLayout | null {
  const ofHtml = layouts.get(html) ?? new WeakMap<readonly string[], BulkLayout | null>();
  layouts.set(html, ofHtml);
  const known = ofHtml.get(text);
  if (known !== undefined) return known;
  const made = createLayout(html, text);
  ofHtml.set(text, made);
  return made;
}

// Excludes pieces that SES could read as part of a placeholder.
const isPlain = (piece: string) => !piece.includes('{{') && !/^\}|[{\\]$/.test(piece);

function createLayout(html: readonly string[], text: readonly string[]): BulkLayout | null {
  if (![...html, ...text].every(isPlain)) return null;
  const htmlKeys = [...html, ''].map((_, index) => `h${index}`);
  const textKeys = text === noText ? [] : [...text, ''].map((_, index) => `t${index}`);
  const templateOf = (keys: readonly string[], pieces: readonly string[]) =>
    keys.map((key, index) => `{{${key}}}${pieces[index] ?? ''}`).join('');
  const content = {
    Subject: '{{subject}}',
    Html: templateOf(htmlKeys, html),
    ...(textKeys.length > 0 && { Text: templateOf(textKeys, text) }),
  };
  const bytes = Buffer.byteLength(JSON.stringify(content));
  return bytes > longestPart ? null : { content, bytes, htmlKeys, textKeys };
}

const inPieces = (text: string | PiecedText): PiecedText =>
  typeof text === 'string' ? { outline: text, pieces: noPieces } : text;

const isBlank = ({ outline, pieces }: PiecedText) => pieces.length === 0 && !/\S/.test(outline);

/** The layout of an email, one object for all emails with the same pieces, and its entry's data except the subject. */
export function layOut(email: Pick<OutgoingEmail, 'html' | 'text'>): {
  layout: BulkLayout;
  data: Record<string, string>;
} {
  const [html, text] = [inPieces(email.html), inPieces(email.text)];
  const layout = layoutOf(html.pieces, isBlank(text) ? noText : text.pieces);
  if (layout === null) return layOut({ html: wholeText(html), text: wholeText(text) });
  const data: Record<string, string> = {};
  name(data, layout.htmlKeys, html);
  name(data, layout.textKeys, text);
  return { layout, data };
}

function name(data: Record<string, string>, keys: readonly string[], text: PiecedText): void {
  const gaps = gapsOf(text);
  for (const [index, key] of keys.entries()) data[key] = gaps[index] ?? '';
}
