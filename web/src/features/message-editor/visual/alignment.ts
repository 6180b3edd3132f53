import type { Editor } from '@tiptap/core';
import type { Node } from '@tiptap/pm/model';
import { styleOf, withStyle } from './styles.ts';

/** Paragraphs and headings that are at least partly selected. */
function textblocksOf({ state: { doc, selection } }: Editor): { node: Node; at: number }[] {
  const found: { node: Node; at: number }[] = [];
  doc.nodesBetween(selection.from, selection.to, (node, at) => {
    if (node.isTextblock) found.push({ node, at });
  });
  return found;
}

/** @returns the alignment of the first selected block; '' if it is inherited */
export const alignmentOf = (editor: Editor): string =>
  styleOf(textblocksOf(editor)[0]?.node.attrs.kept ?? null, 'text-align');

export function align(editor: Editor, value: '' | 'center' | 'right'): void {
  const { tr } = editor.state;
  for (const { node, at } of textblocksOf(editor))
    tr.setNodeAttribute(at, 'kept', withStyle(node.attrs.kept, { 'text-align': value }));
  editor.view.dispatch(tr);
  editor.commands.focus();
}
