import { codeOf, elementsOf, isContainer, isInline, isSpace, isStructure, markers } from './elements.ts';
import { holdCode, isComment, placeholder, releaseCode } from './liquid.ts';

/**
 * Parses content into the form that the editor reads, in a document that loads and runs nothing. Each piece of Liquid and
 * each comment outside a tag becomes an element (`markers.code`).
 */
export function parseContent(content: string): DocumentFragment {
  const sources: string[] = [];
  const root = parse(holdCode(content, sources));
  for (const element of elementsOf(root)) {
    for (const attribute of element.attributes) attribute.value = releaseCode(attribute.value, sources);
  }
  for (const comment of commentsOf(root)) {
    const [, index] = new RegExp(`^${placeholder.source}$`).exec(comment.data) ?? [];
    if (index !== undefined) comment.replaceWith(codeElement('span', sources[Number(index)] ?? ''));
  }
  for (const paragraph of root.querySelectorAll('li > p')) paragraph.setAttribute(markers.loose, '');
  for (const holder of [root, ...elementsOf(root)]) {
    if (holder instanceof Element && isStructure(holder)) {
      for (const node of [...holder.childNodes]) makeBlock(node);
    } else if (!(holder instanceof Element) || isContainer(holder)) {
      wrapBareText(holder);
    } else {
      continue;
    }
    keepSpaces(holder);
  }
  return root;
}

/**
 * Turns placeholders outside tags into comments: HTML parsers move text out of tables, but leave comments in place.
 */
function parse(held: string): DocumentFragment {
  const inTags = new Set<string>();
  for (const { attributes } of elementsOf(fragmentOf(held))) {
    for (const { name, value } of attributes)
      for (const [found] of `${name} ${value}`.matchAll(placeholder)) inTags.add(found);
  }
  return fragmentOf(held.replace(placeholder, (found) => (inTags.has(found) ? found : `<!--${found}-->`)));
}

function fragmentOf(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  return template.content;
}

function commentsOf(root: Node): Comment[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const found: Comment[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Comment) found.push(walker.currentNode);
  return found;
}

function codeElement(tag: 'span' | 'div', source: string): HTMLElement {
  const element = document.createElement(tag);
  element.setAttribute(markers.code, source);
  return element;
}

/** Turns code between blocks into a block. */
function makeBlock(node: ChildNode): void {
  const source = codeOf(node);
  if (source !== null) node.replaceWith(codeElement('div', source));
}

function wrapBareText(container: ParentNode & Node): void {
  let paragraph: HTMLElement | null = null;
  const begin = () => {
    const element = document.createElement('p');
    element.setAttribute(markers.bare, '');
    return element;
  };
  for (const node of [...container.childNodes]) {
    if (!isInline(node)) {
      paragraph = null;
    } else if (paragraph === null && isComment(codeOf(node) ?? '')) {
      makeBlock(node);
    } else if (paragraph !== null || !isSpace(node)) {
      if (paragraph === null) {
        paragraph = begin();
        node.before(paragraph);
      }
      paragraph.append(node);
    }
  }
  if (container instanceof Element && container.firstElementChild === null) container.append(begin());
}

/** Stores whitespace around blocks in markers, so that the source keeps its layout. */
function keepSpaces(holder: ParentNode & Node): void {
  for (const paragraph of [...holder.childNodes]) {
    if (!(paragraph instanceof Element && paragraph.hasAttribute(markers.bare))) continue;
    const { firstChild, lastChild } = paragraph;
    if (firstChild instanceof Text) paragraph.before(takeSpace(firstChild, /^[ \t\r\n\f]*/));
    if (lastChild instanceof Text) paragraph.after(takeSpace(lastChild, /[ \t\r\n\f]*$/));
  }
  for (const node of [...holder.childNodes]) {
    if (!isSpace(node)) continue;
    const { nextSibling: next } = node;
    if (next instanceof Element) next.setAttribute(markers.before, node.data);
    else if (next === null && holder instanceof Element) holder.setAttribute(markers.end, node.data);
    if (!(next instanceof Text)) node.remove();
  }
}

function takeSpace(text: Text, pattern: RegExp): Text {
  const [space = ''] = pattern.exec(text.data) ?? [];
  text.data = text.data.replace(pattern, '');
  return text.ownerDocument.createTextNode(space);
}
