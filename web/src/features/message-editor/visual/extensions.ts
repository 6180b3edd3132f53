import {
  type AnyExtension,
  type Editor,
  Extension,
  getNodeType,
  Mark,
  Node,
  nodeInputRule,
  nodePasteRule,
} from '@tiptap/core';
import { Image } from '@tiptap/extension-image';
import { ListItem } from '@tiptap/extension-list';
import { Placeholder } from '@tiptap/extensions';
import type { DOMOutputSpec, NodeRange, NodeType } from '@tiptap/pm/model';
import { wrapRangeInList } from '@tiptap/pm/schema-list';
import type { Transaction } from '@tiptap/pm/state';
import { canSplit, findWrapping } from '@tiptap/pm/transform';
import { StarterKit } from '@tiptap/starter-kit';
import { cellTags, codeOf, markers, phraseTags, sectionTags, wrapperTags } from './elements.ts';
import { heldSource, type KeptAttributes, readKept, showKept } from './kept-attributes.ts';
import { isComment, labelOf } from './liquid.ts';
import { setsOnly } from './styles.ts';

const codeSource = {
  default: '',
  parseHTML: codeOf,
  renderHTML: ({ source }: { source?: string }) => ({ [markers.code]: source }),
};

/** Shows code as a label and hides comments. */
const drawCode = (tag: string, source: string, attributes: Record<string, unknown>): DOMOutputSpec => [
  tag,
  { ...attributes, ...(isComment(source) && { hidden: '' }) },
  labelOf(source),
];

/** A Liquid output, Liquid tag or comment within text, treated as one character. */
const Liquid = Node.create({
  name: 'liquid',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ source: codeSource }),
  parseHTML: () => [{ tag: `span[${markers.code}]`, priority: 100 }],
  renderHTML: ({ node, HTMLAttributes }) => drawCode('span', node.attrs.source, HTMLAttributes),
  renderText: ({ node }) => node.attrs.source,
  addInputRules() {
    const find = /(?:\{\{[^{}]+\}\}|\{%[^{}%]+%\})$/;
    return [nodeInputRule({ find, type: this.type, getAttributes: ([source]) => ({ source }) })];
  },
  addPasteRules() {
    const find = /\{\{[^{}]+\}\}|\{%[^{}%]+%\}/g;
    return [nodePasteRule({ find, type: this.type, getAttributes: ([source]) => ({ source }) })];
  },
});

/** Liquid between blocks, table rows or list items. */
const LiquidBlock = Node.create({
  name: 'liquidBlock',
  group: 'block code',
  atom: true,
  addAttributes: () => ({ source: codeSource }),
  parseHTML: () => [{ tag: `div[${markers.code}]`, priority: 100 }],
  renderHTML: ({ node, HTMLAttributes }) => drawCode('div', node.attrs.source, HTMLAttributes),
});

/** Whether the block next to the cursor's is a comment. Nobody sees it, so Backspace and Delete must not remove it. */
function isBesideComment({ state: { doc, selection } }: Editor, side: 'before' | 'after'): boolean {
  const { empty, $from } = selection;
  if (!empty || !$from.parent.isTextblock) return false;
  const edge = side === 'before' ? 0 : $from.parent.content.size;
  if ($from.parentOffset !== edge) return false;
  const { nodeBefore, nodeAfter } = doc.resolve($from[side]());
  return (side === 'before' ? nodeBefore : nodeAfter)?.type.name === 'commentBlock';
}

/** A comment between blocks, table rows or list items. */
const CommentBlock = LiquidBlock.extend({
  name: 'commentBlock',
  selectable: false,
  parseHTML: () => [
    {
      tag: `div[${markers.code}]`,
      priority: 110,
      getAttrs: (element) => isComment(codeOf(element) ?? '') && null,
    },
  ],
  addKeyboardShortcuts() {
    return {
      Backspace: () => isBesideComment(this.editor, 'before'),
      Delete: () => isBesideComment(this.editor, 'after'),
    };
  },
});

/** The tag of a node that stands for several HTML elements. */
const tagAttribute = (initial: string) => ({
  tag: {
    default: initial,
    parseHTML: ({ tagName }: HTMLElement) => tagName.toLowerCase(),
    rendered: false,
  },
});

const Container = Node.create({
  name: 'container',
  group: 'block',
  content: 'block+',
  defining: true,
  // Otherwise Backspace at its start would lift the paragraph out.
  isolating: true,
  addAttributes: () => tagAttribute('div'),
  parseHTML: () => wrapperTags.map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [node.attrs.tag, HTMLAttributes, 0],
});

const Table = Node.create({
  name: 'table',
  group: 'block',
  content: '(tableSection | code)+',
  isolating: true,
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: ({ HTMLAttributes }) => ['table', HTMLAttributes, 0],
});

const TableSection = Node.create({
  name: 'tableSection',
  content: '(tableRow | code)+',
  addAttributes: () => tagAttribute('tbody'),
  parseHTML: () => sectionTags.map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [node.attrs.tag, HTMLAttributes, 0],
});

const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | code)+',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ HTMLAttributes }) => ['tr', HTMLAttributes, 0],
});

const TableCell = Node.create({
  name: 'tableCell',
  content: 'block+',
  isolating: true,
  addAttributes: () => tagAttribute('td'),
  parseHTML: () => cellTags.map((tag) => ({ tag })),
  renderHTML: ({ node, HTMLAttributes }) => [node.attrs.tag, HTMLAttributes, 0],
});

/** Inline markup that the editor has no command for. */
const Phrase = Mark.create({
  name: 'phrase',
  excludes: '',
  addAttributes: () => tagAttribute('span'),
  parseHTML: () => phraseTags.map((tag) => ({ tag })),
  renderHTML: ({ mark, HTMLAttributes }) => [mark.attrs.tag, HTMLAttributes, 0],
});

/** A `span` that only sets a text color. */
const TextColor = Mark.create({
  name: 'textColor',
  excludes: '',
  parseHTML: () => [
    { tag: 'span', priority: 60, getAttrs: (element) => setsOnly(readKept(element), 'color') && null },
  ],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
});

/** Preserves all attributes that the editor can't edit. */
const Kept = Extension.create({
  name: 'kept',
  addGlobalAttributes: () => [
    {
      types: [
        ...['paragraph', 'heading', 'blockquote', 'bulletList', 'orderedList', 'listItem', 'horizontalRule'],
        ...[
          'hardBreak',
          'image',
          'container',
          'bold',
          'italic',
          'underline',
          'strike',
          'link',
          'phrase',
          'textColor',
        ],
        ...['table', 'tableSection', 'tableRow', 'tableCell', 'liquidBlock', 'commentBlock'],
      ],
      attributes: {
        kept: {
          default: null satisfies KeptAttributes,
          parseHTML: readKept,
          renderHTML: ({ kept }: { kept?: KeptAttributes }) => showKept(kept ?? null),
        },
      },
    },
  ],
});

const Item = ListItem.extend({
  // Tab leaves the editor like any other field.
  addKeyboardShortcuts() {
    return {
      Enter: () => this.editor.commands.splitListItem(this.name),
      'Mod-]': () => this.editor.commands.sinkListItem(this.name),
      'Mod-[': () => this.editor.commands.liftListItem(this.name),
    };
  },
});

/** Recognizes bold, italic and the like only by tag: a style stays a style. */
const byTagAlone = (extension: AnyExtension): AnyExtension =>
  extension.type === 'mark'
    ? (extension as Mark).extend({
        parseHTML() {
          return this.parent?.()?.filter(({ tag }: { tag?: string }) => tag !== undefined);
        },
      })
    : extension;

/** Allows Liquid loops and conditions around list items. */
const withLiquid = (extension: AnyExtension): AnyExtension =>
  ['bulletList', 'orderedList'].includes(extension.name)
    ? (extension as Node).extend({ content: '(listItem | code)+' })
    : extension;

const isList = ({ name }: NodeType): boolean => ['bulletList', 'orderedList'].includes(name);

/**
 * ProseMirror takes any node for a list that may contain one of the same nodes, here Liquid: it would merge a new list at
 * the start of a table cell with the cell before it.
 */
const WrapInList = Extension.create({
  name: 'wrapInList',
  addCommands: () => ({
    wrapInList:
      (name, attributes) =>
      ({ state: { selection, schema }, tr, dispatch }) => {
        const range = selection.$from.blockRange(selection.$to);
        if (range === null) return false;
        const type = getNodeType(name, schema);
        if (range.depth > 0 && isList(range.$from.node(range.depth - 1).type))
          return wrapRangeInList(dispatch ? tr : null, range, type, attributes);
        const wrappers = findWrapping(range, type, attributes);
        if (wrappers === null) return false;
        if (dispatch) wrapEach(tr, range, wrappers);
        return true;
      },
  }),
});

/** Wraps the blocks of the range in a list, each as an item. */
function wrapEach(tr: Transaction, range: NodeRange, wrappers: NonNullable<ReturnType<typeof findWrapping>>) {
  tr.wrap(range, wrappers);
  let at = range.start + wrappers.length;
  for (let index = range.startIndex; index < range.endIndex; index += 1) {
    if (index > range.startIndex && canSplit(tr.doc, at)) {
      tr.split(at);
      at += 2;
    }
    at += range.parent.child(index).nodeSize;
  }
}

const Basics = StarterKit.extend({
  addExtensions() {
    return this.parent?.().map(byTagAlone).map(withLiquid) ?? [];
  },
});

export const emailExtensions: AnyExtension[] = [
  Basics.configure({
    code: false,
    codeBlock: false,
    listItem: false,
    // It would add an empty paragraph at the end.
    trailingNode: false,
    link: {
      openOnClick: false,
      // Of links that are typed without one.
      defaultProtocol: 'https',
      HTMLAttributes: { target: null, rel: null, class: null },
      // Keeps stored links; the address fields reject scripts.
      isAllowedUri: () => true,
    },
  }),
  Image.extend({
    addAttributes() {
      return {
        ...this.parent?.(),
        src: {
          default: null,
          parseHTML: (element: HTMLElement) =>
            element.getAttribute(heldSource) ?? element.getAttribute('src'),
          renderHTML: ({ src }) => ({ [String(src).includes('{{') ? heldSource : 'src']: src }),
        },
      };
    },
    parseHTML: () => [{ tag: 'img' }],
  }).configure({ inline: true }),
  Placeholder.configure({ placeholder: 'Write here' }),
  Item,
  Container,
  Table,
  TableSection,
  TableRow,
  TableCell,
  Phrase,
  TextColor,
  Liquid,
  LiquidBlock,
  CommentBlock,
  Kept,
  WrapInList,
];
