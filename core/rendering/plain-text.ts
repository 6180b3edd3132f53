import { compile, type DomNode, type FormatCallback } from 'html-to-text';
import { addressBehind, stripMarkup } from './strip-markup.ts';

/** Beyond this `stripMarkup` converts: html-to-text is quadratic in unclosed tags. */
const maxConvertedTags = 6_000;
const maxConvertedLength = 512 * 1024;
const maxDepth = 100;
const maxIndentedLevels = 5;
/** Stands for a tag of a template: a noncharacter, never in real text, ignored by HTML parsers, no letter and no blank. */
export const placeholderStart = '\ufdd0';

const block = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
const paragraph = { leadingLineBreaks: 2, trailingLineBreaks: 2 };

const blockElements =
  'address caption center dd details dialog dl dt fieldset figcaption figure hgroup legend li menu summary tr';

const each = (selectors: string, format: string, options = {}) =>
  selectors.split(' ').map((selector) => ({ selector, format, options }));

const convert = compile({
  wordwrap: false,
  // The whole document, because templates put tags around and before the body.
  baseElements: { selectors: [] },
  limits: { maxDepth, ellipsis: '', maxInputLength: maxConvertedLength },
  formatters: { list, link, cell, quote, hidden },
  selectors: [
    ...each('h1 h2 h3 h4 h5 h6', 'heading', { ...paragraph, uppercase: false }),
    ...each('table', 'block', paragraph),
    // html-to-text takes an element that it doesn't know for a part of the line.
    ...each(blockElements, 'block', block),
    ...each('td th', 'cell'),
    ...each('ul ol', 'list'),
    ...each('blockquote', 'quote'),
    ...each('a', 'link'),
    // Only its alternative text.
    ...each('img', 'image', { pathRewrite: () => '' }),
    ...each('hr', 'horizontalLine', { ...paragraph, length: 40 }),
    ...each('title template object svg select textarea [data-text="none"]', 'skip'),
    { selector: '[style*="display:none"i]', format: 'hidden' },
    { selector: '[style*="display: none"i]', format: 'hidden' },
  ],
});

/**
 * Converts an HTML email to plain text: paragraphs apart, lists with bullets or numbers, links as `text
 * [address]`, images by their alternative text. Skips elements with `data-text="none"` and, in HTML of up to 6,000 tags,
 * with the style `display:none`: the preview text of the inbox, and what only phones show. Takes about 0.15 ms for 5 KB, at
 * most 125 ms for any input.
 */
export function htmlToText(html: string): string {
  return tidyText(convertMarkup(html));
}

/** Like `htmlToText`, but keeps the blank lines and spaces left by the HTML's layout. */
export function convertMarkup(html: string): string {
  const input = html.slice(0, maxConvertedLength);
  const text = countTags(input) <= maxConvertedTags ? convert(input) : stripMarkup(input);
  return text.slice(0, maxConvertedLength);
}

/** What `tidyText` changes besides trimming the ends; most texts of a campaign contain none of it. */
const untidy = /\u00a0|[^\S\n]\n|\n{3}/;

export function tidyText(text: string): string {
  if (!untidy.test(text)) return text.trim();
  // A regular expression for trailing spaces is quadratic in long runs of them.
  const lines = text
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function countTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) count++;
  return count;
}

function list(...[element, walk, builder]: Parameters<FormatCallback>): void {
  const items = element.children.filter((child) => child.type !== 'text' || !/^\s*$/.test(child.data ?? ''));
  if (items.length === 0) return;
  const levels = countAncestors(element, 'li');
  if (levels > maxIndentedLevels) {
    builder.openBlock(block);
    walk(element.children, builder);
    builder.closeBlock(block);
    return;
  }
  // Text between items is a template's loop around them, so their number is unknown.
  const isNumbered = element.name === 'ol' && items.every((item) => item.type !== 'text');
  let number = Number.parseInt(element.attribs?.start ?? '1', 10) || 1;
  const lineBreaks = levels > 0 ? 1 : 2;
  builder.openList({ leadingLineBreaks: lineBreaks, interRowLineBreaks: 1, maxPrefixLength: 0 });
  for (const item of items) {
    const bullet = isNumbered ? `${number++}. ` : '* ';
    builder.openListItem({ prefix: item.name === 'li' ? bullet : '' });
    walk([item], builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: lineBreaks });
}

function link(...[element, walk, builder]: Parameters<FormatCallback>): void {
  walk(element.children, builder);
  const href = String(element.attribs?.href ?? '');
  const address = addressBehind(textOf(element.children, href.length + 8).trim(), href);
  if (address === undefined) return;
  const separator = textOf(element.children, 1, true) === '' ? '' : ' ';
  builder.addInline(`${separator}[${address}]`, { noWordTransform: true });
}

function hidden(...[element, walk, builder]: Parameters<FormatCallback>): void {
  const attributes = element.attribs ?? {};
  const texts = [String(attributes.style), ...Object.keys(attributes)];
  // A template's tags may hide it from some recipients only.
  if (!texts.some((text) => text.includes(placeholderStart))) return;
  builder.openBlock(block);
  walk(element.children, builder);
  builder.closeBlock(block);
}

function textOf(nodes: readonly DomNode[], limit: number, withImages = false): string {
  let text = '';
  const pending = nodes.toReversed();
  for (let node = pending.pop(); node && text.trim().length < limit; node = pending.pop()) {
    if (node.type === 'text') text += (node.data ?? '').slice(0, 4 * limit + 1000);
    if (withImages && node.name === 'img') text += String(node.attribs?.alt ?? '');
    if (node.type === 'tag') pending.push(...node.children.toReversed());
  }
  return text;
}

function cell(...[element, walk, builder]: Parameters<FormatCallback>): void {
  walk(element.children, builder);
  builder.addInline(' ');
}

function quote(...[element, walk, builder]: Parameters<FormatCallback>): void {
  const isIndented = countAncestors(element, 'blockquote') < maxIndentedLevels;
  builder.openBlock({ leadingLineBreaks: 2, reservedLineLength: 2 });
  walk(element.children, builder);
  const prefixed = (text: string) => text.trim().replace(/^/gm, '> ');
  builder.closeBlock({ trailingLineBreaks: 2, ...(isIndented ? { blockTransform: prefixed } : {}) });
}

function countAncestors(element: DomNode, name: string): number {
  let count = 0;
  for (let parent = element.parent; parent && count <= maxIndentedLevels; parent = parent.parent) {
    if (parent.name === name) count++;
  }
  return count;
}
