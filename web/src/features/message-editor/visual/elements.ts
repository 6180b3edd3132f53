/** Generic blocks around blocks, which the editor shows without giving them a meaning. */
export const wrapperTags = ['div', 'center', 'section', 'article', 'header', 'footer', 'main', 'address'];
/** Inline elements without a meaning to the editor; their attributes give the text its look. */
export const phraseTags = ['span', 'font', 'small', 'big', 'sub', 'sup', 'code', 'mark', 'abbr'];
export const sectionTags = ['tbody', 'thead', 'tfoot'];
export const cellTags = ['td', 'th'];

const upperCase = (tags: readonly string[]) => tags.map((tag) => tag.toUpperCase());

/** Elements that hold blocks. Text directly in them is a paragraph without a tag of its own. */
const containers = new Set([...upperCase(wrapperTags), ...upperCase(cellTags), 'LI', 'BLOCKQUOTE']);
/** Elements that hold only certain blocks, and no text. */
const structures = new Set(['UL', 'OL', 'TABLE', ...upperCase(sectionTags), 'TR']);
const textblocks = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HR']);
const inline = new Set([...upperCase(phraseTags), 'A', 'B', 'STRONG', 'I', 'EM', 'U', 'S', 'BR', 'IMG']);

export const isContainer = ({ tagName }: Element): boolean => containers.has(tagName);
export const isStructure = ({ tagName }: Element): boolean => structures.has(tagName);
export const isInline = (node: Node): boolean =>
  node instanceof Text || (node instanceof Element && inline.has(node.tagName));
export const isSupported = (element: Element): boolean =>
  isContainer(element) || isStructure(element) || textblocks.has(element.tagName) || isInline(element);

/** Attributes that the editor adds to elements while it shows them. */
export const markers = {
  /** The source of Liquid or of a comment: a `span` within text, a `div` between blocks. */
  code: 'data-liquid',
  /** A paragraph without a tag of its own. */
  bare: 'data-bare',
  /** A paragraph with a tag of its own in a list item; paragraphs of new items have none. */
  loose: 'data-loose',
  /** White space before a block, such as its indentation. */
  before: 'data-space',
  /** White space before the end tag of a container. */
  end: 'data-end-space',
} as const;

export const elementsOf = (root: ParentNode): Element[] => [...root.querySelectorAll('*')];

export const codeOf = (node: Node): string | null =>
  node instanceof Element ? node.getAttribute(markers.code) : null;

/** In a document of its own, where images don't load. */
export function htmlOf(root: DocumentFragment): string {
  const holder = root.ownerDocument.createElement('div');
  holder.append(root);
  return holder.innerHTML;
}
