import { blankComments } from '../html.ts';
import type { TemplateKind } from './engine.ts';
import { hole, isPiece, type PiecedText } from './pieced-text.ts';
import { tidyText } from './plain-text.ts';

/**
 * Cuts the pieces (`pieced-text.ts`) out of a literal such that searches and changes in the outline have the same result
 * as in the whole text: no piece contains the end of a body, splits a word, a tag or a comment, or may end a comment that
 * an earlier literal began; pieces of plain text are tidy.
 */
export function cutLiteral(literal: string, kind: TemplateKind): PiecedText {
  const pieces: string[] = [];
  const sections = kind === 'html' ? sectionsOf(literal) : [{ text: literal, cut: wordsOf(literal) }];
  const outlines = sections.map(({ text, cut: [begin, end] }) => {
    const piece = text.slice(begin, end);
    if (!isPiece(piece)) return text;
    pieces.push(kind === 'html' ? piece : tidyText(piece));
    return text.slice(0, begin) + hole + text.slice(end);
  });
  return { outline: outlines.join(''), pieces };
}

type Range = [begin: number, end: number];

interface Section {
  text: string;
  /** The part that can be cut out. */
  cut: Range;
}

/** From after the first run of blanks to before the last one. */
function wordsOf(text: string): Range {
  const firstBlank = text.search(/\s/);
  if (firstBlank === -1) return [text.length, 0];
  let lastBlank = text.length - 1;
  while (/\S/.test(text.charAt(lastBlank))) lastBlank--;
  const begin = text.length - text.slice(firstBlank).trimStart().length;
  return [begin, text.slice(0, lastBlank).trimEnd().length];
}

/** Only after the first end of a comment is it known that what follows is outside of one. */
function sectionsOf(html: string): Section[] {
  const mark = html.search(/<!--|-->/);
  if (mark === -1) return sectionsOutsideComments(html);
  const end = html.indexOf('-->', mark);
  const known = end === -1 ? html.length : end + 3;
  return [
    ...sectionsOutsideComments(html.slice(0, mark)),
    { text: html.slice(mark, known), cut: [0, 0] },
    ...sectionsOutsideComments(html.slice(known)),
  ];
}

function sectionsOutsideComments(html: string): Section[] {
  let at = 0;
  return blankComments(html)
    .split(/(?=<\/(?:body|html))/i)
    .map((visible) => {
      const text = html.slice(at, at + visible.length);
      at += visible.length;
      return { text, cut: tagsOf(visible) };
    });
}

/** From the first tag to the last whole one, or to the words behind it. */
function tagsOf(html: string): Range {
  const [opens, closes] = [html.lastIndexOf('<'), html.lastIndexOf('>')];
  const firstTag = html.indexOf('<', /^<\/(?:body|html)/i.test(html) ? 1 : 0);
  const firstEnd = html.indexOf('>') + 1;
  const begin = Math.min(...[firstTag, firstEnd || -1, html.length].filter((index) => index >= 0));
  return [begin, opens > closes ? opens : Math.max(closes + 1, wordsOf(html)[1])];
}
