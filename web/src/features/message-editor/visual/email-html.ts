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
const inline = new Set(['A', 'B', 'STRONG', 'I', 'EM', 'U', 'S', 'SPAN', 'BR', 'IMG']);
/** As the editor writes them. */
const canonical: Record<string, string> = { B: 'STRONG', I: 'EM' };

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

/** What the editor shows of the attributes that it only keeps. */
const shown = ['style', 'align', 'dir', 'width', 'height'];
/** Attributes that the editor has fields for. */
const edited: Record<string, readonly string[]> = {
  A: ['href', 'target', 'rel', 'class', 'title'],
  IMG: ['src', 'alt', 'title', 'width', 'height'],
  OL: ['start', 'type'],
};

/** The attributes that the editor only keeps, by name. Null: those of an element that was made in the editor. */
export type KeptAttributes = Record<string, string> | null;

const keptAttribute = 'data-kept';

/** Of an image whose address Liquid makes: there is nothing to load yet. */
export const heldSource = 'data-src';

export function readKept(element: Element): KeptAttributes {
  const own = element.getAttribute(keptAttribute);
  if (own !== null) return JSON.parse(own) as KeptAttributes;
  const others = [...element.attributes].filter(({ name }) => !edited[element.tagName]?.includes(name));
  return Object.fromEntries(others.map(({ name, value }) => [name, value]));
}

/** For the editor's own page: only what changes how it looks; handlers of events and the like are not set. */
export function showKept(kept: KeptAttributes): Record<string, string> {
  if (kept === null || Object.keys(kept).length === 0) return {};
  const visible = Object.entries(kept).filter(([name]) => shown.includes(name));
  return { ...Object.fromEntries(visible), [keptAttribute]: JSON.stringify(kept) };
}

function restoreAttributes(element: Element): void {
  const source = element.getAttribute(heldSource);
  if (source !== null) element.setAttribute('src', source);
  element.removeAttribute(heldSource);
  const kept = readKept(element);
  if (!element.hasAttribute(keptAttribute)) return;
  element.removeAttribute(keptAttribute);
  for (const [name, value] of Object.entries(kept ?? {})) element.setAttribute(name, value);
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

/** Whether both look the same to every mail client: spaces that HTML ignores and the order of nested marks aside. */
export const isSameContent = (one: string, other: string): boolean =>
  describe(parseContent(one)) === describe(parseContent(other));

interface Run {
  marks: string;
  text: string;
}

function describe(root: ParentNode & Node): string {
  const runs: Run[] = [];
  let written = '';
  const endLine = () => {
    written += describeLine(runs.splice(0));
  };
  const visit = (node: Node, marks: readonly string[]): void => {
    if (node instanceof Text) {
      runs.push({ marks: marks.join(), text: node.data });
      return;
    }
    if (!(node instanceof Element)) {
      // Comments may be instructions to Outlook.
      written += `<!${node.nodeValue}>`;
      return;
    }
    const tag = describeTag(node);
    if (node instanceof HTMLElement && node.dataset.liquid !== undefined) {
      runs.push({ marks: marks.join(), text: `\uE000${node.dataset.liquid.replaceAll(/\s/g, '\uE002')}` });
    } else if (node.tagName === 'BR' || node.tagName === 'IMG') {
      runs.push({ marks: marks.join(), text: node.tagName === 'BR' ? `\uE001${tag}` : tag });
    } else if (inline.has(node.tagName)) {
      for (const child of node.childNodes) visit(child, [...marks, tag].sort());
    } else {
      endLine();
      written += `(${tag}`;
      for (const child of node.childNodes) visit(child, []);
      endLine();
      written += ')';
    }
  };
  for (const child of root.childNodes) visit(child, []);
  endLine();
  return written;
}

function describeTag({ tagName, attributes }: Element): string {
  const pairs = [...attributes].map(({ name, value }) => `${name}=${JSON.stringify(value)}`);
  return [canonical[tagName] ?? tagName, ...pairs.sort()].join('\u00a0').replaceAll(/[ \t\n\r\f]/g, '\uE002');
}

/** Spaces as HTML draws them: one for many, none at the beginning and the end of a line. */
function describeLine(runs: readonly Run[]): string {
  const characters: Run[] = [];
  for (const { marks, text } of runs) {
    for (const character of text.replaceAll(/[ \t\n\r\f]+/g, ' ')) {
      const before = characters.at(-1)?.text ?? '\uE001';
      if (character === ' ' && (before === ' ' || before === '\uE001')) continue;
      characters.push({ marks, text: character });
    }
    if (text.startsWith('\uE001')) characters.push({ marks, text: '\uE001' });
  }
  while (characters.at(-1)?.text === ' ') characters.pop();
  let line = '';
  let marks = '';
  for (const each of characters) {
    if (each.marks !== marks) line += `[${each.marks}]`;
    line += each.text;
    marks = each.marks;
  }
  return line;
}
