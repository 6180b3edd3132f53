import type { Editor } from '@tiptap/core';
import type { KeptAttributes } from './email-html.ts';

/** As mail clients draw it: those of Outlook know neither classes nor buttons. */
const buttonStyle = (color: string) =>
  `display: inline-block; padding: 12px 20px; border-radius: 6px; background-color: ${color}; color: #ffffff; ` +
  'font-weight: bold; text-decoration: none;';

const defaultColor = '#4f46e5';

export const isButton = (kept: KeptAttributes): boolean => /display:\s*inline-block/.test(kept?.style ?? '');

export function toButton(kept: KeptAttributes, becomes: boolean): KeptAttributes {
  const { style: _, ...others } = kept ?? {};
  return becomes ? { ...others, style: buttonStyle(defaultColor) } : others;
}

/** @returns undefined for what is no address of a link */
export function readAddress(typed: string): string | undefined {
  const text = typed.trim();
  if (/^(https?:\/\/|mailto:|tel:|#)\S/i.test(text) || text.startsWith('{{')) return text;
  if (/^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(text)) return `mailto:${text}`;
  return /^[\w-]+(\.[\w-]+)+([/?#:]\S*)?$/.test(text) ? `https://${text}` : undefined;
}

export const addressFault = 'Enter an address, such as https://example.com';

/** Instead of what is selected, or around it. */
export function insertLink(
  editor: Editor,
  { href, text, kept }: { href: string; text: string; kept: KeptAttributes },
): void {
  const { empty } = editor.state.selection;
  const chain = editor.chain().focus();
  if (!empty) {
    chain.setMark('link', { href, kept }).run();
    return;
  }
  const marks = [{ type: 'link', attrs: { href, kept } }];
  chain
    .insertContent({ type: 'text', text: text.trim() === '' ? href : text, marks })
    .unsetMark('link')
    .run();
}
