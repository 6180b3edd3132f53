import { type ChainedCommands, type Editor, useEditorState } from '@tiptap/react';
import {
  AlignCenter,
  AlignRight,
  Bold,
  Columns2,
  Heading1,
  Heading2,
  Heading3,
  Italic,
  Link,
  List,
  ListOrdered,
  type LucideIcon,
  Minus,
  Quote,
  RectangleHorizontal,
  Redo2,
  Underline,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import { Toolbar } from 'react-aria-components/Toolbar';
import { IconButton } from '../../../ui/button.tsx';
import { Tooltip } from '../../../ui/tooltip.tsx';
import { align, alignmentOf } from './alignment.ts';
import { LinkDialog } from './link-dialog.tsx';
import { insertColumns } from './table-rows.ts';

interface Tool {
  label: string;
  Icon: LucideIcon;
  run: (editor: Editor) => void;
}

interface Format extends Tool {
  isOn: (editor: Editor) => boolean;
}

/** @param name of the node or mark in the document */
const format = (
  label: string,
  Icon: LucideIcon,
  name: string,
  toggle: (chain: ChainedCommands) => ChainedCommands,
): Format => ({
  label,
  Icon,
  isOn: (editor) => editor.isActive(name),
  run: (editor) => void toggle(editor.chain().focus()).run(),
});

const heading = (level: 1 | 2 | 3, Icon: LucideIcon): Format => ({
  label: `Heading ${level}`,
  Icon,
  isOn: (editor) => editor.isActive('heading', { level }),
  run: (editor) => void editor.chain().focus().toggleHeading({ level }).run(),
});

const alignment = (label: string, value: 'center' | 'right', Icon: LucideIcon): Format => ({
  label,
  Icon,
  isOn: (editor) => alignmentOf(editor) === value,
  run: (editor) => align(editor, alignmentOf(editor) === value ? '' : value),
});

const formats: readonly Format[] = [
  heading(1, Heading1),
  heading(2, Heading2),
  heading(3, Heading3),
  format('Bold', Bold, 'bold', (chain) => chain.toggleBold()),
  format('Italic', Italic, 'italic', (chain) => chain.toggleItalic()),
  format('Underline', Underline, 'underline', (chain) => chain.toggleUnderline()),
  format('Bulleted list', List, 'bulletList', (chain) => chain.toggleBulletList()),
  format('Numbered list', ListOrdered, 'orderedList', (chain) => chain.toggleOrderedList()),
  format('Quote', Quote, 'blockquote', (chain) => chain.toggleBlockquote()),
  alignment('Center', 'center', AlignCenter),
  alignment('Align right', 'right', AlignRight),
];

const divider: Tool = {
  label: 'Divider',
  Icon: Minus,
  run: (editor) => void editor.chain().focus().setHorizontalRule().run(),
};
const columns: Tool = { label: 'Two columns', Icon: Columns2, run: insertColumns };
const undo: Tool = { label: 'Undo', Icon: Undo2, run: (editor) => void editor.chain().focus().undo().run() };
const redo: Tool = { label: 'Redo', Icon: Redo2, run: (editor) => void editor.chain().focus().redo().run() };

export function VisualToolbar({ editor }: { editor: Editor }) {
  const [adding, setAdding] = useState<'link' | 'button' | null>(null);
  const state = useEditorState({
    editor,
    selector: ({ editor: now }) => ({
      on: formats.filter(({ isOn }) => isOn(now)).map(({ label }) => label),
      canUndo: now.can().undo(),
      canRedo: now.can().redo(),
    }),
  });
  const tool = ({ label, Icon, run }: Tool, isDisabled = false) => (
    <IconButton
      key={label}
      label={label}
      isDisabled={isDisabled}
      onPress={() => run(editor)}
      className="w-6.75"
    >
      <Icon className="size-4" />
    </IconButton>
  );
  return (
    <>
      <Toolbar aria-label="Format" className="flex flex-wrap border-b border-line px-2 py-0.5">
        {formats.map(({ label, Icon, run }) => (
          <Tooltip key={label} text={label}>
            <ToggleButton
              aria-label={label}
              isSelected={state.on.includes(label)}
              onChange={() => run(editor)}
              className="inline-flex h-8 w-6.75 shrink-0 cursor-pointer items-center justify-center rounded-md text-muted data-[hovered]:bg-hover data-[hovered]:text-ink data-[selected]:bg-accent-soft data-[selected]:text-accent-text"
            >
              <Icon className="size-4" />
            </ToggleButton>
          </Tooltip>
        ))}
        {tool({ label: 'Link', Icon: Link, run: () => setAdding('link') })}
        {tool({ label: 'Button', Icon: RectangleHorizontal, run: () => setAdding('button') })}
        {tool(divider)}
        {tool(columns)}
        {tool(undo, !state.canUndo)}
        {tool(redo, !state.canRedo)}
      </Toolbar>
      <LinkDialog
        editor={editor}
        kind={adding ?? 'link'}
        isOpen={adding !== null}
        onClose={() => setAdding(null)}
      />
    </>
  );
}
