import { type Editor, useEditorState } from '@tiptap/react';
import { BetweenHorizontalStart, Trash2, Unlink } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { ColorField } from '../../../ui/color-field.tsx';
import { Switch, TextField } from '../../../ui/field.tsx';
import { useButtonColor } from './button-color.ts';
import type { KeptAttributes } from './kept-attributes.ts';
import { addressFault, colorOf, isButton, readAddress, toButton, toLink, withColor } from './links.ts';
import { expressionOf, isComment, readOutput, withExpression, writeOutput } from './liquid.ts';
import { addRowBelow, type Row, removeRow, rowOf } from './table-rows.ts';
import { colorText, textColorOf } from './text-color.ts';

interface Selected {
  link?: { href: string; kept: KeptAttributes };
  liquid?: { source: string; at: number };
  image?: { alt: string; width: string };
  row?: Row;
  /** CSS color of the selected text; '' if it has none of its own. */
  textColor?: string;
}

/** @returns the selected Liquid; undefined for a comment, which has no field */
function codeIn(editor: Editor): string | undefined {
  const name = ['liquid', 'liquidBlock'].find((type) => editor.isActive(type));
  const { source } = name === undefined ? {} : editor.getAttributes(name);
  return source === undefined || isComment(source) ? undefined : source;
}

function selectedIn(editor: Editor): Selected {
  const { href, kept } = editor.getAttributes('link');
  const { alt, width } = editor.getAttributes('image');
  const source = codeIn(editor);
  const row = rowOf(editor);
  const textColor = textColorOf(editor);
  return {
    ...(editor.isActive('link') && { link: { href, kept } }),
    ...(source !== undefined && { liquid: { source, at: editor.state.selection.from } }),
    ...(editor.isActive('image') && { image: { alt: alt ?? '', width: String(width ?? '') } }),
    ...(row && { row }),
    ...(textColor !== undefined && { textColor }),
  };
}

/** Fields and actions for the selected text, link, contact field, image or table row. */
export function SelectionBar({ editor }: { editor: Editor }) {
  const selected = useEditorState({ editor, selector: ({ editor: now }) => selectedIn(now) });
  const { link, liquid, image, row, textColor } = selected;
  if (Object.keys(selected).length === 0) return null;
  // Unlike `updateAttributes`, this keeps the node selected.
  const change = (changes: Record<string, string | null>) => {
    const { tr, selection } = editor.state;
    for (const [name, value] of Object.entries(changes)) tr.setNodeAttribute(selection.from, name, value);
    editor.view.dispatch(tr);
  };
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-end gap-x-4 gap-y-2 border-t border-line bg-sunken px-3 py-2"
    >
      {liquid && (
        <LiquidFields key={liquid.at} source={liquid.source} onChange={(source) => change({ source })} />
      )}
      {image && (
        <>
          <TextField
            label="Alternative text"
            placeholder="What the image says, for people who can’t see it"
            value={image.alt}
            onChange={(alt) => change({ alt })}
            className="min-w-40 flex-1"
          />
          <TextField
            label="Width"
            placeholder="Its own"
            inputMode="numeric"
            value={image.width}
            // The height then follows the width.
            onChange={(typed) => change({ width: typed.replaceAll(/\D/g, '') || null, height: null })}
            className="w-24"
          />
        </>
      )}
      {link && <LinkFields key={link.href} editor={editor} {...link} />}
      {textColor !== undefined && (
        <div className="flex items-end">
          <ColorField label="Text color" value={textColor} onChange={(chosen) => colorText(editor, chosen)} />
          {textColor !== '' && (
            <Button look="quiet" onPress={() => colorText(editor, '')}>
              Remove color
            </Button>
          )}
        </div>
      )}
      {row && (
        <div className="flex">
          <Button look="quiet" onPress={() => addRowBelow(editor, row)}>
            <BetweenHorizontalStart aria-hidden className="size-4" />
            Add row below
          </Button>
          <Button look="quiet" onPress={() => removeRow(editor, row)}>
            <Trash2 aria-hidden className="size-4" />
            Remove row
          </Button>
        </div>
      )}
    </section>
  );
}

function LiquidFields({ source, onChange }: { source: string; onChange: (source: string) => void }) {
  // The typed text, including a trailing space that the next word needs.
  const [output, setOutput] = useState(() => readOutput(source));
  const [expression, setExpression] = useState(() => expressionOf(source));
  if (output === undefined) {
    return (
      <TextField
        label="Liquid"
        value={expression}
        onChange={(typed) => {
          setExpression(typed);
          onChange(withExpression(source, typed));
        }}
        className="flex-1"
      />
    );
  }
  const change = (part: Partial<typeof output>) => {
    const changed = { ...output, ...part };
    setOutput(changed);
    onChange(writeOutput(changed.name, changed.fallback));
  };
  return (
    <>
      <TextField
        label="Field"
        value={output.name}
        onChange={(name) => change({ name })}
        className="min-w-32 flex-1"
      />
      <TextField
        label="Fallback"
        value={output.fallback}
        onChange={(fallback) => change({ fallback })}
        className="min-w-32 flex-1"
      />
    </>
  );
}

function LinkFields({ editor, href, kept }: { editor: Editor; href: string; kept: KeptAttributes }) {
  const [typed, setTyped] = useState(href);
  const [fault, setFault] = useState<string>();
  const color = useButtonColor();
  const link = () => editor.chain().extendMarkRange('link');
  const keep = (changed: KeptAttributes) => link().updateAttributes('link', { kept: changed }).run();
  const save = () => {
    const address = readAddress(typed);
    setFault(address === undefined ? addressFault : undefined);
    if (address !== undefined && address !== href) link().updateAttributes('link', { href: address }).run();
  };
  return (
    <>
      <TextField
        label="Address"
        value={typed}
        onChange={setTyped}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          save();
        }}
        error={fault}
        className="min-w-40 flex-1"
      />
      <Switch
        isSelected={isButton(kept)}
        onChange={(becomes) => keep(becomes ? toButton(kept, color) : toLink(kept ?? {}))}
      >
        Button
      </Switch>
      {isButton(kept) && (
        <ColorField
          label="Color"
          value={colorOf(kept) ?? color}
          onChange={(chosen) => keep(withColor(kept, chosen))}
        />
      )}
      <Button look="quiet" onPress={() => link().unsetLink().focus().run()}>
        <Unlink aria-hidden className="size-4" />
        Remove link
      </Button>
    </>
  );
}
