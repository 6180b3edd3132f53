import { Braces } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { keyLabel } from '../contacts/key-label.ts';
import { keysOf, outputOf } from './field-names.ts';
import { useFieldNames } from './use-field-names.ts';

/** A project may have 10,000 fields; completion in the HTML editor offers all of them. */
const mostShown = 50;

const builtIn = [
  { label: 'Recipient’s address', markup: '{{ email }}' },
  { label: 'Unsubscribe link', markup: '<a href="{{ unsubscribeUrl }}">Unsubscribe</a>' },
  { label: 'Preferences link', markup: '<a href="{{ manageUrl }}">Preferences</a>' },
  { label: 'View in browser link', markup: '<a href="{{ viewUrl }}">View in browser</a>' },
];

/** Inserts a contact field with a fallback in quotes, for contacts that lack it. */
export function InsertFieldMenu({ onInsert }: { onInsert: (markup: string) => void }) {
  // The closing menu returns focus to its button, so the editor takes focus afterwards.
  const insert = (markup: string) => setTimeout(() => onInsert(markup));
  const fields = keysOf(useFieldNames()).slice(0, mostShown);
  return (
    <Menu
      label="Insert field"
      trigger={
        <Button look="quiet">
          <Braces aria-hidden className="size-4" />
          Insert field
        </Button>
      }
      actions={[
        ...fields.map((key) => ({
          id: key,
          label: keyLabel(key),
          onAction: () => insert(`{{ ${outputOf(key)} ?? "" }}`),
        })),
        ...builtIn.map(({ label, markup }) => ({ id: markup, label, onAction: () => insert(markup) })),
      ]}
    />
  );
}
