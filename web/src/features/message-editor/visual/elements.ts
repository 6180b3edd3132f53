/** Generic block containers. */
export const wrapperTags = ['div', 'center', 'section', 'article', 'header', 'footer', 'main', 'address'];
/** Inline elements that the editor keeps but has no command for. */
export const phraseTags = ['span', 'font', 'small', 'big', 'sub', 'sup', 'code', 'mark', 'abbr'];
export const sectionTags = ['tbody', 'thead', 'tfoot'];
export const cellTags = ['td', 'th'];

const upperCase = (tags: readonly string[]) => tags.map((tag) => tag.toUpperCase());

/** Elements that contain blocks. Text directly inside becomes a paragraph without its own tag. */
const containers = new Set([...upperCase(wrapperTags), ...upperCase(cellTags), 'LI', 'BLOCKQUOTE']);
/** Elements that contain only certain child elements, and no text. */
const structures = new Set(['UL', 'OL', 'TABLE', ...upperCase(sectionTags), 'TR']);
const textblocks = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HR']);
const inline = new Set([...upperCase(phraseTags), 'A', 'B', 'STRONG', 'I', 'EM', 'U', 'S', 'BR', 'IMG']);

export const isContainer = ({ tagName }: Element): boolean => containers.has(tagName);
export const isStructure = ({ tagName }: Element): boolean => structures.has(tagName);
export const isInline = (node: Node): boolean =>
  node instanceof Text || (node instanceof Element && inline.has(node.tagName));
export const isSupported = (element: Element): boolean =>
  isContainer(element) || isStructure(element) || textblocks.has(element.tagName) || isInline(element);

/** @returns whether the node is whitespace that HTML ignores between blocks */
export const isSpace = (node: Node): node is Text => node instanceof Text && !/[^ \t\r\n\f]/.test(node.data);

/** Attributes that exist only while an email is in the editor. */
export const markers = {
  /** Source of Liquid or of a comment, on a `span` within text or a `div` between blocks. */
  code: 'data-liquid',
  /** Marks a paragraph that has no tag of its own. */
  bare: 'data-bare',
  /** Marks a list item's paragraph that has its own tag; paragraphs of new items have none. */
  loose: 'data-loose',
  /** Whitespace before a block, such as its indentation. */
  before: 'data-space',
  /** Whitespace before a container's end tag. */
  end: 'data-end-space',
} as const;

export const elementsOf = (root: ParentNode): Element[] => [...root.querySelectorAll('*')];

export const codeOf = (node: Node): string | null =>
  node instanceof Element ? node.getAttribute(markers.code) : null;

/** Serializes in the fragment's own document, where images don't load. */
export function htmlOf(root: DocumentFragment): string {
  const holder = root.ownerDocument.createElement('div');
  holder.append(root);
  return holder.innerHTML;
}
