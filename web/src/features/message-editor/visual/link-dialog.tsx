import type { Editor } from '@tiptap/react';
import { z } from 'zod';
import type { DialogState } from '../../../ui/dialog.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { FormField } from '../../../ui/form-field.tsx';
import { useButtonColor } from './button-color.ts';
import { addressFault, hasSelected, insertLink, readAddress, toButton } from './links.ts';

const schema = z.object({
  text: z.string(),
  address: z.string().refine((typed) => readAddress(typed) !== undefined, addressFault),
});

/** Adds a link to the selection, or inserts one with its own text. */
export function LinkDialog({
  editor,
  kind,
  isOpen,
  onClose,
}: DialogState & { editor: Editor; kind: 'link' | 'button' }) {
  const color = useButtonColor();
  const { from, to } = editor.state.selection;
  const selected = editor.state.doc.textBetween(from, to, ' ');
  return (
    <FormDialog
      title={kind === 'link' ? 'Insert a link' : 'Insert a button'}
      isOpen={isOpen}
      onClose={onClose}
      action="Insert"
      schema={schema}
      defaultValues={{ text: selected, address: '' }}
      save={async ({ text, address }, finish) => {
        const kept = kind === 'button' ? toButton(null, color) : null;
        await finish();
        setTimeout(() => insertLink(editor, { href: readAddress(address) ?? address, text, kept }));
      }}
    >
      {({ control }) => (
        <>
          {!hasSelected(editor) && (
            <FormField control={control} name="text" label="Text" placeholder="Read more" />
          )}
          <FormField
            control={control}
            name="address"
            label="Address"
            placeholder="https://example.com"
            hint="Or Liquid, such as {{ unsubscribeUrl }}."
          />
        </>
      )}
    </FormDialog>
  );
}
