import type { TemplateKind } from './engine.ts';
import { hole, isPiece, type PiecedText } from './pieced-text.ts';
import { tidyText } from './plain-text.ts';

/**
 * Cuts the pieces out of a literal such that searches and changes in the outline have the same result as in the whole
 * text: no piece contains the end of a body, splits a word, or ends in a possible `href=`; pieces of plain text are
 * tidy.
 */
export function cutLiteral(literal: string, kind: TemplateKind): PiecedText {
  const sections = kind === 'html' ? literal.split(/(?=<\/(?:body|html))/i) : [literal];
  const pieces: string[] = [];
  const outlines = sections.map((section) => {
    const [begin, end] = kind === 'html' ? tagsOrWordsOf(section) : wordsOf(section);
    const piece = section.slice(begin, end);
    if (!isPiece(piece)) return section;
    pieces.push(kind === 'html' ? piece : tidyText(piece));
    return section.slice(0, begin) + hole + section.slice(end);
  });
  return { outline: outlines.join(''), pieces };
}

/** From after the first run of blanks to before the last one. */
function wordsOf(text: string): [begin: number, end: number] {
  const firstBlank = text.search(/\s/);
  if (firstBlank === -1) return [text.length, 0];
  let lastBlank = text.length - 1;
  while (/\S/.test(text.charAt(lastBlank))) lastBlank--;
  const begin = text.length - text.slice(firstBlank).trimStart().length;
  return [begin, text.slice(0, lastBlank).trimEnd().length];
}

function tagsOrWordsOf(html: string): [begin: number, end: number] {
  const [firstWord, lastWord] = wordsOf(html);
  const firstTag = html.indexOf('<', /^<\/(?:body|html)/i.test(html) ? 1 : 0);
  const mayBeHref = /(?:href|[="'])$/i.test(html.slice(Math.max(0, lastWord - 4), lastWord));
  return [
    firstTag === -1 ? firstWord : Math.min(firstTag, firstWord),
    Math.max(html.lastIndexOf('>') + 1, mayBeHref ? 0 : lastWord),
  ];
}
