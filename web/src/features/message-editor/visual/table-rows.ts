import type { Editor } from '@tiptap/core';
import { DOMParser, type Node } from '@tiptap/pm/model';
import { TextSelection } from '@tiptap/pm/state';
import { parseContent } from './parse-content.ts';

/**
 * A cell of half the table's width. Below 400 px the product is large and positive, so the cell takes the whole line;
 * above, it is negative. Outlook reads only the attributes and keeps the cells side by side.
 */
const column =
  '<td width="50%" valign="top" style="display: inline-block; box-sizing: border-box; width: calc((400px - 100%) * 400); min-width: 50%; max-width: 100%; padding: 0 8px; vertical-align: top;"><p></p></td>';
const columns = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
  <tbody>
    <tr>${column}${column}</tr>
  </tbody>
</table>`;

/** Inserts two columns at the selection, with a paragraph after them, and puts the cursor into the first. */
export function insertColumns(editor: Editor): void {
  const { tr, schema } = editor.state;
  const table = DOMParser.fromSchema(schema).parse(parseContent(columns)).firstChild;
  if (table === null) return;
  tr.replaceSelectionWith(table);
  tr.doc.descendants((node, at) => {
    if (node !== table) return;
    const $end = tr.doc.resolve(at + table.nodeSize);
    if ($end.nodeAfter === null) tr.insert($end.pos, schema.nodes.paragraph?.create() ?? []);
    tr.setSelection(TextSelection.near(tr.doc.resolve(at)));
  });
  editor.view.dispatch(tr.scrollIntoView());
  editor.commands.focus();
}

export interface Row {
  node: Node;
  /** Position of its start. */
  at: number;
}

const cellsOf = (row: Node): Node[] => row.children.filter(({ type }) => type.name === 'tableCell');

/** @returns the innermost row around the cursor with several cells; single-cell tables are layout */
export function rowOf({ state: { selection } }: Editor): Row | undefined {
  const { $from } = selection;
  for (let { depth } = $from; depth > 0; depth -= 1) {
    const node = $from.node(depth);
    if (node.type.name === 'tableRow' && cellsOf(node).length > 1) return { node, at: $from.before(depth) };
  }
  return undefined;
}

/** Adds an empty row with the same attributes below. */
export function addRowBelow(editor: Editor, { node, at }: Row): void {
  const { tr, schema } = editor.state;
  const cells = cellsOf(node).map((cell) => {
    const { firstChild } = cell;
    const like = firstChild?.type === schema.nodes.paragraph ? firstChild?.attrs : null;
    return cell.type.create(cell.attrs, schema.nodes.paragraph?.create(like));
  });
  const end = at + node.nodeSize;
  tr.insert(end, node.type.create(node.attrs, cells)).setSelection(TextSelection.near(tr.doc.resolve(end)));
  editor.view.dispatch(tr.scrollIntoView());
  editor.commands.focus();
}

/** Removes the row, and its table if it has no other. */
export function removeRow(editor: Editor, { at }: Row): void {
  const { doc, tr } = editor.state;
  const $row = doc.resolve(at);
  const isOnly = $row.parent.childCount === 1 && $row.node(-1).childCount === 1;
  const [from, to] = isOnly ? [$row.before(-1), $row.after(-1)] : [at, at + ($row.nodeAfter?.nodeSize ?? 0)];
  editor.view.dispatch(tr.deleteRange(from, to).scrollIntoView());
  editor.commands.focus();
}
