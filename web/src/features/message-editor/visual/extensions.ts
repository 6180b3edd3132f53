import { type AnyExtension, Extension, Mark, Node, nodeInputRule, nodePasteRule } from '@tiptap/core';
import { Image } from '@tiptap/extension-image';
import { ListItem } from '@tiptap/extension-list';
import { Placeholder } from '@tiptap/extensions';
import { StarterKit } from '@tiptap/starter-kit';
import { heldSource, type KeptAttributes, readKept, showKept } from './kept-attributes.ts';
import { labelOf } from './liquid.ts';

/** An output or a tag of Liquid within a text: one character to the editor. */
const Liquid = Node.create({
  name: 'liquid',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({
    source: {
      default: '',
      parseHTML: (element: HTMLElement) => element.dataset.liquid,
      renderHTML: ({ source }) => ({ 'data-liquid': source }),
    },
  }),
  parseHTML: () => [{ tag: 'span[data-liquid]', priority: 100 }],
  renderHTML: ({ node, HTMLAttributes }) => ['span', HTMLAttributes, labelOf(node.attrs.source)],
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

const Container = Node.create({
  name: 'container',
  group: 'block',
  content: 'block+',
  defining: true,
  parseHTML: () => [{ tag: 'div' }],
  renderHTML: ({ HTMLAttributes }) => ['div', HTMLAttributes, 0],
});

/** Keeps its style, as do all others. */
const Span = Mark.create({
  name: 'span',
  excludes: '',
  parseHTML: () => [{ tag: 'span:not([data-liquid])' }],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
});

/** All attributes that the editor has no field for stay as they are. */
const Kept = Extension.create({
  name: 'kept',
  addGlobalAttributes: () => [
    {
      types: [
        ...['paragraph', 'heading', 'blockquote', 'bulletList', 'orderedList', 'listItem', 'horizontalRule'],
        ...['hardBreak', 'image', 'container', 'bold', 'italic', 'underline', 'strike', 'link', 'span'],
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
  // Tab leaves the editor, as any other field.
  addKeyboardShortcuts() {
    return {
      Enter: () => this.editor.commands.splitListItem(this.name),
      'Mod-]': () => this.editor.commands.sinkListItem(this.name),
      'Mod-[': () => this.editor.commands.liftListItem(this.name),
    };
  },
});

/** Bold and the like by their tags alone: a style stays a style. */
const byTagAlone = (extension: AnyExtension): AnyExtension =>
  extension.type === 'mark'
    ? (extension as Mark).extend({
        parseHTML() {
          return this.parent?.()?.filter(({ tag }: { tag?: string }) => tag !== undefined);
        },
      })
    : extension;

const Basics = StarterKit.extend({
  addExtensions() {
    return this.parent?.().map(byTagAlone) ?? [];
  },
});

export const emailExtensions: AnyExtension[] = [
  Basics.configure({
    code: false,
    codeBlock: false,
    listItem: false,
    // Would add an empty paragraph at the end.
    trailingNode: false,
    link: {
      openOnClick: false,
      HTMLAttributes: { target: null, rel: null, class: null },
      // What is stored stays; the fields for an address take no scripts.
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
  Span,
  Liquid,
  Kept,
];
