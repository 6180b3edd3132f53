import { type Editor, useEditorState } from '@tiptap/react';
import { Unlink } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Switch, TextField } from '../../../ui/field.tsx';
import type { KeptAttributes } from './email-html.ts';
import { addressFault, isButton, readAddress, toButton } from './links.ts';
import { expressionOf, readOutput, withExpression, writeOutput } from './liquid.ts';

type Selected =
  | { type: 'link'; href: string; kept: KeptAttributes }
  | { type: 'liquid'; source: string; at: number }
  | { type: 'image'; alt: string }
  | null;

function selectedIn(editor: Editor): Selected {
  if (editor.isActive('liquid')) {
    return { type: 'liquid', source: editor.getAttributes('liquid').source, at: editor.state.selection.from };
  }
  if (editor.isActive('image')) return { type: 'image', alt: editor.getAttributes('image').alt ?? '' };
  if (!editor.isActive('link')) return null;
  const { href, kept } = editor.getAttributes('link');
  return { type: 'link', href, kept };
}

/** What can be said about the link, the field or the image that is selected. */
export function SelectionBar({ editor }: { editor: Editor }) {
  const selected = useEditorState({ editor, selector: ({ editor: now }) => selectedIn(now) });
  if (selected === null) return null;
  // Unlike `updateAttributes`, it leaves the node selected.
  const change = (attribute: string, value: string) =>
    editor.view.dispatch(editor.state.tr.setNodeAttribute(editor.state.selection.from, attribute, value));
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-end gap-x-4 gap-y-2 border-t border-line bg-sunken px-3 py-2"
    >
      {selected.type === 'link' && <LinkFields key={selected.href} editor={editor} {...selected} />}
      {selected.type === 'liquid' && (
        <LiquidFields
          key={selected.at}
          source={selected.source}
          onChange={(source) => change('source', source)}
        />
      )}
      {selected.type === 'image' && (
        <TextField
          label="Alternative text"
          placeholder="What the image says, for people who do not see it"
          value={selected.alt}
          onChange={(alt) => change('alt', alt)}
          className="flex-1"
        />
      )}
    </section>
  );
}

function LiquidFields({ source, onChange }: { source: string; onChange: (source: string) => void }) {
  // What is typed, with the space at its end that the next word needs.
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
        label="Where it is missing"
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
  const link = () => editor.chain().extendMarkRange('link');
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
        onChange={(becomes) =>
          link()
            .updateAttributes('link', { kept: toButton(kept, becomes) })
            .run()
        }
      >
        Button
      </Switch>
      <Button look="quiet" onPress={() => link().unsetLink().focus().run()}>
        <Unlink aria-hidden className="size-4" />
        Remove link
      </Button>
    </>
  );
}
