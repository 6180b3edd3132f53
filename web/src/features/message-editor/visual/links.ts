import type { Editor } from '@tiptap/core';
import type { KeptAttributes } from './kept-attributes.ts';
import { styleOf, withStyle } from './styles.ts';

/** Inline, because Outlook supports neither classes nor `<button>`. */
const buttonStyle =
  'display: inline-block; padding: 12px 20px; border-radius: 6px; font-weight: bold; text-decoration: none;';

export const defaultColor = '#4f46e5';

export const isButton = (kept: KeptAttributes): boolean => styleOf(kept, 'display') === 'inline-block';

export const toLink = ({ style: _, ...others }: NonNullable<KeptAttributes>): KeptAttributes => others;

export const toButton = (kept: KeptAttributes, color: string): KeptAttributes =>
  withColor({ ...kept, style: buttonStyle }, color);

/** @returns the button's background as a CSS color; undefined if it has none */
export const colorOf = (kept: KeptAttributes): string | undefined =>
  styleOf(kept, 'background-color') || styleOf(kept, 'background') || undefined;

/** @param color of the button as `#rrggbb`; the text becomes black or white, whichever is readable */
export const withColor = (kept: KeptAttributes, color: string): KeptAttributes =>
  withStyle(kept, {
    background: '',
    'background-color': color,
    color: isBright(color) ? '#000000' : '#ffffff',
  });

function isBright(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150;
}

/** @returns the link's address; undefined if the text is not an address */
export function readAddress(typed: string): string | undefined {
  const text = typed.trim();
  const withoutLiquid = text.replace(/\{\{.*?\}\}|\{%.*?%\}/g, 'x');
  if (/\s/.test(withoutLiquid)) return undefined;
  if (/^(https?:\/\/|mailto:|tel:|#)\S/i.test(text) || text.startsWith('{{')) return text;
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(text)) return `mailto:${text}`;
  return /^[\w-]+(\.[\w-]+)+([/?#:].*)?$/.test(withoutLiquid) ? `https://${text}` : undefined;
}

export const addressFault = 'Enter an address without spaces, such as https://example.com';

/** Whether text, an image or a field is selected: not the end of a paragraph alone, which a double click beside it selects. */
export function hasSelected({ state: { doc, selection } }: Editor): boolean {
  let isFound = false;
  if (!selection.empty)
    doc.nodesBetween(selection.from, selection.to, (node) => {
      isFound ||= node.isInline;
    });
  return isFound;
}

/** Links the selection, or inserts the text as a link if nothing is selected; after a block, in a paragraph of its own. */
export function insertLink(
  editor: Editor,
  { href, text, kept }: { href: string; text: string; kept: KeptAttributes },
): void {
  const chain = editor.chain().focus();
  if (hasSelected(editor)) {
    chain.setMark('link', { href, kept }).run();
    return;
  }
  const marks = [{ type: 'link', attrs: { href, kept } }];
  const link = { type: 'text', text: text.trim() === '' ? href : text, marks };
  const { $from, from, to } = editor.state.selection;
  if ($from.parent.inlineContent) chain.insertContentAt(from, link);
  else chain.insertContentAt(to, { type: 'paragraph', content: [link] });
  chain.unsetMark('link').run();
}
