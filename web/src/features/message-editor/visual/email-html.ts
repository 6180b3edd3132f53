import { edited, restoreAttributes } from './kept-attributes.ts';
import { holdLiquid, partsOf, releaseLiquid } from './liquid.ts';

/** An email as HTML: what is edited, and the document around it, which stays as it is. */
export interface EmailHtml {
  before: string;
  content: string;
  after: string;
}

export function splitDocument(html: string): EmailHtml {
  const [, before = '', content = html, after = ''] =
    /^([\s\S]*?<body\b[^>]*>)([\s\S]*)(<\/body\s*>[\s\S]*)$/i.exec(html) ?? [];
  return { before, content, after };
}

/** Blocks that hold blocks. Text directly in them is a paragraph without a tag of its own. */
const containers = new Set(['DIV', 'LI', 'BLOCKQUOTE']);
const blocks = new Set([...containers, 'P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'HR']);
export const inline = new Set(['A', 'B', 'STRONG', 'I', 'EM', 'U', 'S', 'SPAN', 'BR', 'IMG']);
/** Marks a paragraph without a tag of its own, while it is in the editor. */
const bare = 'data-bare';
/** Marks a paragraph with a tag of its own in an item of a list; those of new items have none. */
const loose = 'data-loose';

function elementsOf(root: ParentNode): Element[] {
  return [...root.querySelectorAll('*')];
}

function textsOf(root: Node): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) found.push(walker.currentNode);
  return found;
}

function liquidElement(source: string): HTMLElement {
  const element = document.createElement('span');
  element.dataset.liquid = source;
  return element;
}

/** The content as the editor reads it: each Liquid in a text is an element `span[data-liquid]`. Nothing in it loads or runs. */
export function parseContent(content: string): DocumentFragment {
  const sources: string[] = [];
  const template = document.createElement('template');
  template.innerHTML = holdLiquid(content, sources);
  const root = template.content;
  for (const element of elementsOf(root)) {
    for (const attribute of element.attributes) attribute.value = releaseLiquid(attribute.value, sources);
  }
  for (const text of textsOf(root)) {
    const parts = partsOf(text.data);
    if (parts.every((part) => typeof part === 'string')) continue;
    text.replaceWith(
      ...parts.map((part) => (typeof part === 'string' ? part : liquidElement(sources[part] ?? ''))),
    );
  }
  for (const paragraph of root.querySelectorAll('li > p')) paragraph.setAttribute(loose, '');
  for (const container of [root, ...elementsOf(root).filter(({ tagName }) => containers.has(tagName))]) {
    wrapBareText(container);
  }
  return root;
}

const isInline = (node: ChildNode) =>
  node instanceof Text || (node instanceof Element && inline.has(node.tagName));

function wrapBareText(container: ParentNode & Node): void {
  let paragraph: HTMLElement | null = null;
  for (const node of [...container.childNodes]) {
    if (!isInline(node)) {
      paragraph = null;
      continue;
    }
    if (paragraph === null && node instanceof Text && node.data.trim() === '') continue;
    if (paragraph === null) {
      paragraph = document.createElement('p');
      paragraph.setAttribute(bare, '');
      node.before(paragraph);
    }
    paragraph.append(node);
  }
}

/** @param root as the editor's schema writes it, in a document that is not shown; changed on the way */
export function writeContent(root: DocumentFragment): string {
  const sources: string[] = [];
  for (const element of elementsOf(root)) restoreAttributes(element);
  const wasBare = new Set<Node>(root.querySelectorAll(`p[${bare}]`));
  for (const paragraph of root.querySelectorAll('p')) {
    // Two are what a line break has made of one.
    const isAlone = wasBare.has(paragraph)
      ? !beside(paragraph).some((node) => node !== null && wasBare.has(node))
      : paragraph.matches(`li > :not([${loose}])`) && !beside(paragraph).some(isParagraphOrText);
    for (const name of [bare, loose]) paragraph.removeAttribute(name);
    if (isAlone && !paragraph.hasAttribute('style')) paragraph.replaceWith(...paragraph.childNodes);
  }
  for (const element of elementsOf(root)) {
    const { liquid } = (element as HTMLElement).dataset;
    if (liquid !== undefined) element.replaceWith(holdLiquid(liquid, sources));
    for (const attribute of element.attributes) attribute.value = holdLiquid(attribute.value, sources);
  }
  // A block a line.
  for (const node of [...root.childNodes]) {
    if (node.previousSibling !== null && !(isInline(node) && isInline(node.previousSibling)))
      node.before('\n');
  }
  return releaseLiquid(htmlOf(root), sources);
}

const beside = ({ previousSibling, nextSibling }: Element) => [previousSibling, nextSibling];
const isParagraphOrText = (node: ChildNode | null) =>
  node !== null && (isInline(node) || (node instanceof Element && node.tagName === 'P'));

/** In the document of its own, where images don't load. */
function htmlOf(root: DocumentFragment): string {
  const holder = root.ownerDocument.createElement('div');
  holder.append(root);
  return holder.innerHTML;
}

/** What pasted HTML keeps: neither the looks nor the scripts of its page. */
export function cleanPasted(html: string): string {
  const root = parseContent(html);
  for (const element of root.querySelectorAll('script, style, meta, link, title')) element.remove();
  for (const element of elementsOf(root)) {
    const keeps = new Set(
      [...(edited[element.tagName] ?? []), 'data-liquid'].filter((name) => name !== 'class'),
    );
    for (const { name } of [...element.attributes]) if (!keeps.has(name)) element.removeAttribute(name);
    if (/^\s*javascript:/i.test(element.getAttribute('href') ?? '')) element.removeAttribute('href');
    if (element.tagName === 'SPAN' && !element.hasAttribute('data-liquid'))
      element.replaceWith(...element.childNodes);
  }
  return htmlOf(root);
}

/** What the editor uses for itself. */
const ownMarks = /[\uE000-\uE002]|\bdata-(bare|loose|kept|src|liquid)\b/;

/** Words for what no editor of paragraphs can show. */
export function strangeParts(content: string): string[] {
  if (/<(html|head|body)\b|<!doctype/i.test(content)) return ['a document without a body'];
  if (ownMarks.test(content)) return ['marks that the visual editor uses itself'];
  const elements = elementsOf(parseContent(content));
  const names = elements.flatMap(({ attributes }) => [...attributes].map(({ name }) => name));
  if (!names.every((name) => /^[a-z][\w:.-]*$/i.test(name))) return ['Liquid within a tag'];
  const tags = elements.map(({ tagName }) => tagName).filter((tag) => !blocks.has(tag) && !inline.has(tag));
  return [...new Set(tags)].map((tag) => `<${tag.toLowerCase()}>`);
}
