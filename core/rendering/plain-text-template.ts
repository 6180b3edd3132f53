import { type TagToken, Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs';
import { rawFilters } from './filters.ts';
import { convertMarkup, placeholderStart } from './plain-text.ts';
import { compileTemplate, type Template } from './template.ts';

const placeholderEnd = '\ufdd1';
/** One private character per piece, so that no digit or letter joins the text around it. */
const firstPlace = 0xf0000;
const placeholders = /\ufdd0(.)\ufdd1/u;
/** A bracket of the source, because the conversion adds brackets around addresses. */
const ownBracket = '\ufdd2';
/** The last filter of an output and those before a `??`; also texts in quotes, to skip them. */
const lastFilters = /"[^"]*"|'[^']*'|\|\s*(\w+)(?=\s*(?:\?\?|$))/g;

const escapedBrace = '{{ "{" }}';

/** With more tags and outputs, converting each recipient's HTML is cheaper. */
const maxPieces = 2_000;

type Role = 'output' | 'open' | 'middle' | 'close' | 'state';

interface Piece {
  role: Role;
  source: string;
}

const openTags = new Set(['if', 'unless', 'case', 'for', 'capture']);
const middleTags = new Set(['else', 'elsif', 'when']);
const markupTags = new Set(['tablerow', 'endtablerow']);

/**
 * Converts the source of an HTML template to a plain-text template with the same tags, so that each
 * recipient's text part costs a rendering instead of a conversion. Pass its output through `tidyText`.
 * Outputs that are HTML (`| raw`, `| escape`) go through the filter `plain_text`; outputs in attributes that
 * the text does not show (a style, an image source) are dropped.
 *
 * @returns undefined when the rendered HTML has to be converted with `htmlToText`: a tag with side effects is inside a
 *   comment or an attribute, half of a block would be lost, there are too many tags, or the template does not parse
 */
export function toPlainTextTemplate(source: string): { source: string; template: Template } | undefined {
  const pieces: Piece[] = [];
  const marked = markPieces(source, pieces);
  if (marked === undefined) return undefined;
  const text = restore(convertMarkup(marked), pieces);
  const compiled = text === undefined ? undefined : compileTemplate(text, 'text');
  return text !== undefined && compiled?.ok ? { source: text, template: compiled.template } : undefined;
}

function readTokens(source: string): TopLevelToken[] | undefined {
  if (source.split(/\{[{%]/, maxPieces + 2).length > maxPieces + 1) return undefined;
  try {
    const readable = source.replace(/[\ufdd0-\ufdef]/g, '');
    return new Tokenizer(readable).readTopLevelTokens();
  } catch {
    return undefined;
  }
}

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
      // Comments are dropped.
    } else if (TypeGuards.isOutputToken(token)) {
      const content = token.content.replace(lastFilters, (filter: string, name?: string) =>
        rawFilters.has(name ?? '') ? `${filter} | plain_text` : filter,
      );
      html += place(pieces, { role: 'output', source: `{{ ${content} }}` });
    } else html += token.getContent().replaceAll('[', ownBracket);
  }
  return html;
}

function place(pieces: Piece[], piece: Piece): string {
  return `${placeholderStart}${String.fromCodePoint(firstPlace + pieces.push(piece) - 1)}${placeholderEnd}`;
}

function roleOf(token: TagToken): Role {
  if (openTags.has(token.name)) return 'open';
  if (middleTags.has(token.name)) return 'middle';
  return token.name.startsWith('end') ? 'close' : 'state';
}

function restore(converted: string, pieces: readonly Piece[]): string | undefined {
  // Literal text and the character of a placeholder alternate.
  const parts = converted.split(placeholders);
  const order: number[] = [];
  let text = '';
  for (let index = 0; index < parts.length; index += 2) {
    const literal = parts[index] ?? '';
    const place = parts[index + 1]?.codePointAt(0);
    const number = place === undefined ? undefined : place - firstPlace;
    const piece = number === undefined ? undefined : pieces[number];
    if (number !== undefined) order.push(number);
    // `<a href="{{ url }}">{{ url }}</a>` needs no address after its text.
    if (literal === ' [' && piece && text.endsWith(piece.source) && parts[index + 2]?.startsWith(']')) {
      parts[index + 2] = parts[index + 2]?.slice(1) ?? '';
      continue;
    }
    text += literal.replaceAll(ownBracket, '[').replace(/\{(?=[{%]|$)/g, escapedBrace);
    text += piece?.source ?? '';
  }
  return keepsMeaning(order, pieces) ? joinTagLines(text) : undefined;
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

/** A link's address comes after its text, so outputs may move, but not past a tag. */
function keepsOrder(order: readonly number[], pieces: readonly Piece[]): boolean {
  let highest = -1;
  let lastTag = -1;
  for (const number of order) {
    if (number < lastTag) return false;
    if (pieces[number]?.role !== 'output') {
      if (number < highest) return false;
      lastTag = number;
    }
    highest = Math.max(highest, number);
  }
  return true;
}

function joinTagLines(text: string): string {
  return text.replace(/^[ \t]*((?:\{%(?:(?!%\}).)*%\}[ \t]*)+)\n/gm, (_line, tags: string) => tags.trimEnd());
}
