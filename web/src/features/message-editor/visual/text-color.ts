import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { styleOf } from './styles.ts';

/**
 * @returns the CSS color of the first colored text in the selection; '' if there is none, undefined if no text is
 * selected
 */
export function textColorOf({ state: { doc, selection } }: Editor): string | undefined {
  if (selection.empty || selection instanceof NodeSelection) return undefined;
  let color = '';
  doc.nodesBetween(selection.from, selection.to, (node) => {
    const mark = node.marks.findLast(({ type }) => type.name === 'textColor');
    if (mark !== undefined && color === '') color = styleOf(mark.attrs.kept, 'color');
  });
  return color;
}

/** Sets the CSS color of the selected text; '' removes it. */
export function colorText(editor: Editor, color: string): void {
  const { tr, schema, selection } = editor.state;
  const { textColor } = schema.marks;
  if (textColor === undefined) return;
  tr.removeMark(selection.from, selection.to, textColor);
  if (color !== '')
    tr.addMark(selection.from, selection.to, textColor.create({ kept: { style: `color: ${color};` } }));
  editor.view.dispatch(tr);
}
