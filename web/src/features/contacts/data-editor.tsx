import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { isSameData } from '../../ui/same-data.ts';
import { Select } from '../../ui/select.tsx';
import { type DataType, dataText, dataTypeOf, readDataText } from './data-text.ts';
import { NewDataField } from './new-data-field.tsx';
import { ChangedMeanwhile, saveDataField } from './save-contact.ts';
import { TypedInput, typeOptions } from './typed-input.tsx';

type Contact = Schema<'Contact'>;

/** "field 2" before "field 10". */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Renders more fields only on request: a hundred take seconds on a slow machine. */
const mostShown = 25;

/** Adds, changes and deletes keys of `data`; each field is saved separately and can be undone. */
export function DataEditor({ contact }: { contact: Contact }) {
  const [isAdding, setIsAdding] = useState(false);
  const [drafts, setDrafts] = useState<Record<string, Draft | null>>({});
  const [isWhole, setIsWhole] = useState(false);
  const keys = Object.keys(contact.data).sort(byName.compare);
  const shown = isWhole ? keys : keys.slice(0, mostShown);
  return (
    <Section
      title="Data"
      actions={
        !isAdding && (
          <Button look="quiet" onPress={() => setIsAdding(true)}>
            <Plus className="size-4" />
            Add a field
          </Button>
        )
      }
    >
      <LeaveGuard isDirty={keys.some((key) => drafts[key])} />
      {keys.length === 0 && !isAdding && <p className="text-muted">Nothing is known yet.</p>}
      {shown.map((key) => (
        <DataField
          key={key}
          contact={contact}
          name={key}
          draft={drafts[key] ?? null}
          onDraft={(next) =>
            setDrafts((before) => ({
              ...before,
              [key]: typeof next === 'function' ? next(before[key] ?? null) : next,
            }))
          }
        />
      ))}
      {shown.length < keys.length && (
        <Button className="self-start" onPress={() => setIsWhole(true)}>
          Show all {keys.length} fields
        </Button>
      )}
      {isAdding && <NewDataField contact={contact} onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

interface Draft {
  text: string;
  type: DataType;
  /** The stored value when the user began to edit it, or when told that it had changed. */
  base: unknown;
}

interface DataFieldProps {
  contact: Contact;
  name: string;
  /** The unsaved input. */
  draft: Draft | null;
  onDraft: (next: Draft | null | ((latest: Draft | null) => Draft | null)) => void;
}

function DataField({ contact, name, draft, onDraft }: DataFieldProps) {
  const stored = contact.data[name];
  const [error, setError] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const { text, type, base } = draft ?? { text: dataText(stored), type: dataTypeOf(stored), base: stored };
  const discard = () => {
    onDraft(null);
    setError(undefined);
  };
  const edit = (next: Pick<Draft, 'text' | 'type'>) => {
    const isStored = next.text === dataText(stored) && next.type === dataTypeOf(stored);
    // A value that is being saved is shown as stored, and may still be refused.
    if (isStored && !isPending) discard();
    else onDraft({ ...next, base });
  };
  /** The next save replaces the other value. */
  const ask = ({ value, message }: ChangedMeanwhile) => {
    onDraft((latest) => latest && { ...latest, base: value });
    setError(message);
  };
  const commit = async () => {
    if (draft === null || isPending) return;
    const read = readDataText(text, type);
    if (!read.ok) return setError(read.message);
    if (!isSameData(stored, draft.base) && !isSameData(stored, read.value)) {
      return ask(new ChangedMeanwhile(stored));
    }
    setIsPending(true);
    try {
      await saveDataField(contact, name, read.value, draft.base);
      // What was typed meanwhile stays.
      onDraft((latest) => (latest === null || latest === draft ? null : { ...latest, base: read.value }));
      setError(undefined);
    } catch (failure) {
      if (failure instanceof ChangedMeanwhile) ask(failure);
      else setError(messageOf(failure));
    }
    setIsPending(false);
  };
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        void commit();
      }}
    >
      <span className="text-sm font-medium">{name}</span>
      <div className="flex items-start gap-1">
        <TypedInput
          label={name}
          text={text}
          type={type}
          isLong={isLongText(stored)}
          error={error}
          onChange={(changed) => edit({ text: changed, type })}
        />
        <Select
          label={`Type of ${name}`}
          isLabelHidden
          className="w-28 shrink-0"
          options={typeOptions}
          value={type}
          onChange={(chosen) => edit({ text: chosen === 'boolean' ? 'true' : text, type: chosen })}
        />
        <IconButton
          label={`Delete ${name}`}
          onPress={() =>
            void saveDataField(contact, name, null).catch((failure) => setError(messageOf(failure)))
          }
        >
          <Trash2 className="size-4" />
        </IconButton>
      </div>
      {draft && (
        <div className="flex gap-2">
          <Button type="submit" isPending={isPending}>
            Save {name}
          </Button>
          <Button look="quiet" onPress={discard}>
            Discard
          </Button>
        </div>
      )}
    </form>
  );
}

/** A one-line field would hide most of a long text and lose its line breaks. */
const isLongText = (value: unknown) =>
  typeof value === 'string' && (value.length > 40 || value.includes('\n'));
