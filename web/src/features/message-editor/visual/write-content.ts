import { codeOf, elementsOf, htmlOf, isInline, isSpace, markers } from './elements.ts';
import { restoreAttributes } from './kept-attributes.ts';
import { holdCode, releaseCode } from './liquid.ts';

/** @param root as serialized by the editor's schema, in a document that is not shown; is modified */
export function writeContent(root: DocumentFragment): string {
  const sources: string[] = [];
  for (const element of elementsOf(root)) restoreAttributes(element);
  restoreSpaces(root);
  unwrapParagraphs(root);
  for (const element of elementsOf(root)) {
    const code = codeOf(element);
    if (code !== null) element.replaceWith(holdCode(code, sources));
    for (const attribute of element.attributes) attribute.value = holdCode(attribute.value, sources);
  }
  return releaseCode(htmlOf(root), sources);
}

/** New blocks start on a new line if their siblings do. */
function restoreSpaces(root: DocumentFragment): void {
  const usual = new Map<Node | null, string>([[root, '\n']]);
  for (const element of elementsOf(root)) {
    const space = element.getAttribute(markers.before);
    if (space !== null && space !== '') usual.set(element.parentNode, space);
  }
  for (const element of elementsOf(root)) {
    const isNewBlock = element.previousSibling !== null && !isInline(element);
    const before =
      element.getAttribute(markers.before) ?? (isNewBlock ? usual.get(element.parentNode) : undefined) ?? '';
    const end = element.getAttribute(markers.end) ?? '';
    // A paragraph that has become a list item drops its indentation.
    if (before !== '' && !element.matches(`li > p:first-child:not([${markers.loose}], [${markers.bare}])`))
      element.before(before);
    if (end !== '') element.append(end);
    for (const name of [markers.before, markers.end]) element.removeAttribute(name);
  }
}

/** Removes the tags of paragraphs that had none, unless they now have a neighboring paragraph. */
function unwrapParagraphs(root: DocumentFragment): void {
  const wasBare = new Set<Node>(root.querySelectorAll(`p[${markers.bare}]`));
  for (const paragraph of root.querySelectorAll('p')) {
    // Two in a row come from a paragraph that was split.
    const isAlone = wasBare.has(paragraph)
      ? !beside(paragraph).some((node) => node !== null && wasBare.has(node))
      : paragraph.matches(`li > :not([${markers.loose}])`) && !beside(paragraph).some(isParagraphOrText);
    // A list item begins with a paragraph, even if it is empty or HTML ignores its text.
    const isStart =
      paragraph.matches('li > :first-child:not(:only-child)') && [...paragraph.childNodes].every(isSpace);
    if (isAlone && !isStart && !paragraph.hasAttribute('style'))
      paragraph.replaceWith(...paragraph.childNodes);
  }
  // Also of paragraphs that have become headings.
  for (const element of elementsOf(root))
    for (const name of [markers.bare, markers.loose]) element.removeAttribute(name);
}

/** @returns the siblings on both sides, skipping whitespace */
const beside = ({ previousSibling, nextSibling }: Element): (Node | null)[] => [
  isBlank(previousSibling) ? previousSibling.previousSibling : previousSibling,
  isBlank(nextSibling) ? nextSibling.nextSibling : nextSibling,
];
const isBlank = (node: Node | null): node is Text => node instanceof Text && node.data.trim() === '';
const isParagraphOrText = (node: Node | null) =>
  node !== null && (isInline(node) || (node instanceof Element && node.tagName === 'P'));
