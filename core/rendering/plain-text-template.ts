import { type TagToken, type TopLevelToken, TypeGuards } from 'liquidjs';
import { engines } from './engine.ts';
import { convertMarkup } from './plain-text.ts';
import { compileTemplate, type Template } from './template.ts';
import { rawFilters, TemplateTokenizer } from './template-tokenizer.ts';

/** Noncharacters: never in real text, untouched by an HTML parser, no letters and no blanks. */
const placeholderStart = '\ufdd0';
const placeholderEnd = '\ufdd1';
const firstDigit = 0xfdd2;
const digitBase = 16;
const placeholders = /\ufdd0([\ufdd2-\ufde1]+)\ufdd1/;

/** A brace that must not become the start of a tag. */
const escapedBrace = '{{ "{" }}';

/** More tags and outputs than an email has; with them, converting for each recipient is the lesser evil. */
const maxPieces = 2_000;

type Role = 'output' | 'open' | 'middle' | 'close' | 'state';

interface Piece {
  role: Role;
  /** What stands for it in the text template. */
  source: string;
}

const openTags = new Set(['if', 'unless', 'case', 'for', 'capture']);
const middleTags = new Set(['else', 'elsif', 'when']);
/** Tags that write HTML themselves, so that only their output can be converted. */
const markupTags = new Set(['tablerow', 'endtablerow']);

/**
 * Turns the source of an HTML template into the source of a plain-text template with the same tags, so that
 * the text part costs a rendering for each recipient and not a conversion. Compile the result as `text`, and
 * pass what it renders through `tidyText`. Outputs that are HTML already (`| raw`, `| escape`) become text by the filter `plain_text`.
 *
 * Outputs in attributes that no text shows (a style, the source of an image) are left out.
 *
 * @returns undefined when the text can't be had this way (a tag that changes something is inside a comment or
 * an attribute, half of a block would be lost, there are too many tags) or the template does not parse: then
 * `htmlToText` has to convert the rendered HTML
 */
export function toPlainTextTemplate(source: string): { source: string; template: Template } | undefined {
  const pieces: Piece[] = [];
  const marked = markPieces(source, pieces);
  if (marked === undefined) return undefined;
  const text = restore(convertMarkup(marked), pieces);
  const compiled = text === undefined ? undefined : compileTemplate(text, { kind: 'text' });
  return text !== undefined && compiled?.ok ? { source: text, template: compiled.template } : undefined;
}

/** The tokens of a template, undefined when it can't be taken apart or is not worth it. */
function readTokens(source: string): TopLevelToken[] | undefined {
  if (source.split(/\{[{%]/, maxPieces + 2).length > maxPieces + 1) return undefined;
  try {
    const readable = source.replace(/[\ufdd0-\ufdef]/g, '');
    return new TemplateTokenizer(readable).readTopLevelTokens(engines.html.options);
  } catch {
    return undefined;
  }
}

/** The HTML with a placeholder for each piece of Liquid. */
function markPieces(source: string, pieces: Piece[]): string | undefined {
  const tokens = readTokens(source);
  if (tokens === undefined) return undefined;
  let html = '';
  let isComment = false;
  for (const token of tokens) {
    if (TypeGuards.isTagToken(token)) {
      if (markupTags.has(token.name)) return undefined;
      if (token.name === 'comment' || token.name === 'endcomment') isComment = token.name === 'comment';
      if (isComment || ['endcomment', 'raw', 'endraw', '#'].includes(token.name)) continue;
      html += place(pieces, { role: roleOf(token), source: `{% ${token.content} %}` });
    } else if (isComment) {
      // Left out, like everything in a comment.
    } else if (TypeGuards.isOutputToken(token)) {
      const last = /\|\s*(\w+)\s*$/.exec(token.content)?.[1] ?? '';
      const filter = rawFilters.has(last) ? ' | plain_text' : '';
      html += place(pieces, { role: 'output', source: `{{ ${token.content}${filter} }}` });
    } else html += token.getContent();
  }
  return html;
}

function place(pieces: Piece[], piece: Piece): string {
  const digits = (pieces.push(piece) - 1).toString(digitBase);
  const characters = [...digits].map((digit) => firstDigit + Number.parseInt(digit, digitBase));
  return `${placeholderStart}${String.fromCharCode(...characters)}${placeholderEnd}`;
}

function roleOf(token: TagToken): Role {
  if (openTags.has(token.name)) return 'open';
  if (middleTags.has(token.name)) return 'middle';
  return token.name.startsWith('end') ? 'close' : 'state';
}

/** Puts the pieces back; undefined when what the conversion left of them would mean something else. */
function restore(converted: string, pieces: readonly Piece[]): string | undefined {
  // Literal text and the digits of a placeholder take turns.
  const parts = converted.split(placeholders);
  const order: number[] = [];
  let text = '';
  for (let index = 0; index < parts.length; index += 2) {
    const literal = parts[index] ?? '';
    const number = readPlaceholder(parts[index + 1]);
    const piece = number === undefined ? undefined : pieces[number];
    if (number !== undefined) order.push(number);
    // `<a href="{{ url }}">{{ url }}</a>` needs no address behind its text.
    if (literal === ' [' && piece && text.endsWith(piece.source) && parts[index + 2]?.startsWith(']')) {
      parts[index + 2] = parts[index + 2]?.slice(1) ?? '';
      continue;
    }
    text += literal.replace(/\{(?=[{%]|$)/g, escapedBrace);
    text += piece?.source ?? '';
  }
  return keepsMeaning(order, pieces) ? joinTagLines(text) : undefined;
}

function readPlaceholder(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const read = [...digits].map((digit) => (digit.charCodeAt(0) - firstDigit).toString(digitBase));
  return Number.parseInt(read.join(''), digitBase);
}

function keepsMeaning(order: readonly number[], pieces: readonly Piece[]): boolean {
  const kept = new Set(order);
  const blocks: boolean[] = [];
  for (const [number, piece] of pieces.entries()) {
    const isKept = kept.has(number);
    if (piece.role === 'state' && !isKept) return false;
    if (piece.role === 'open') blocks.push(isKept);
    if (piece.role === 'middle' && blocks.at(-1) !== isKept) return false;
    if (piece.role === 'close' && blocks.pop() !== isKept) return false;
  }
  return kept.size === order.length && keepsOrder(order, pieces);
}

/** A link's address comes after its text; only what changes no state may change its place. */
function keepsOrder(order: readonly number[], pieces: readonly Piece[]): boolean {
  let highest = -1;
  const lowestAfter: number[] = [];
  let lowest = Number.POSITIVE_INFINITY;
  for (const number of order.toReversed()) {
    lowestAfter.push(lowest);
    lowest = Math.min(lowest, number);
  }
  for (const number of order) {
    const after = lowestAfter.pop() ?? Number.POSITIVE_INFINITY;
    const isInPlace = highest < number && number < after;
    if (pieces[number]?.role !== 'output' && !isInPlace) return false;
    highest = Math.max(highest, number);
  }
  return true;
}

/** A line of nothing but tags leaves no line behind. */
function joinTagLines(text: string): string {
  return text.replace(/^[ \t]*((?:\{%(?:(?!%\}).)*%\}[ \t]*)+)\n/gm, (_line, tags: string) => tags.trimEnd());
}
