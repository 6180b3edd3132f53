import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useDataKeys } from './column-choice.tsx';
import { type DataType, dataText, dataTypeOf, dataTypes, readDataText } from './data-text.ts';
import { saveContact } from './save-contact.ts';

type Contact = Schema<'Contact'>;

const typeNames: Record<DataType, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Date',
  json: 'JSON',
};
const typeOptions = dataTypes.map((value) => ({ value, label: typeNames[value] }));

/** Adds, changes and deletes keys of `data`; each field is saved on its own, and can be undone. */
export function DataEditor({ contact }: { contact: Contact }) {
  const [isAdding, setIsAdding] = useState(false);
  const [drafts, setDrafts] = useState<Record<string, Draft | null>>({});
  const keys = Object.keys(contact.data).sort();
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
      {keys.map((key) => (
        <DataField
          key={key}
          contact={contact}
          name={key}
          draft={drafts[key] ?? null}
          onDraft={(draft) => setDrafts((before) => ({ ...before, [key]: draft }))}
        />
      ))}
      {isAdding && <NewField contact={contact} onClose={() => setIsAdding(false)} />}
    </Section>
  );
}

async function save(contact: Contact, name: string, value: unknown): Promise<void> {
  const before = contact.data[name] ?? null;
  const saved = await saveContact(contact, { data: { [name]: value } });
  say(value === null ? `${name} is deleted` : `${name} is saved`, () => {
    void saveContact(saved, { data: { [name]: before } }).catch(sayError);
  });
}

interface Draft {
  text: string;
  type: DataType;
}

interface DataFieldProps {
  contact: Contact;
  name: string;
  /** What is typed and not saved. */
  draft: Draft | null;
  onDraft: (draft: Draft | null) => void;
}

function DataField({ contact, name, draft, onDraft }: DataFieldProps) {
  const stored = contact.data[name];
  const [error, setError] = useState<string>();
  const { text, type } = draft ?? { text: dataText(stored), type: dataTypeOf(stored) };
  const commit = async () => {
    if (draft === null) return;
    const read = readDataText(text, type);
    if (!read.ok) return setError(read.message);
    try {
      await save(contact, name, read.value);
      onDraft(null);
      setError(undefined);
    } catch (failure) {
      setError(messageOf(failure));
    }
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
          error={error}
          onChange={(changed) => onDraft({ text: changed, type })}
        />
        <Select
          label={`Type of ${name}`}
          isLabelHidden
          className="w-28 shrink-0"
          options={typeOptions}
          value={type}
          onChange={(chosen) => onDraft({ text: chosen === 'boolean' ? 'true' : text, type: chosen })}
        />
        <IconButton
          label={`Delete ${name}`}
          onPress={() => void save(contact, name, null).catch((failure) => setError(messageOf(failure)))}
        >
          <Trash2 className="size-4" />
        </IconButton>
      </div>
      {draft && (
        <div className="flex gap-2">
          <Button type="submit">Save {name}</Button>
          <Button
            look="quiet"
            onPress={() => {
              onDraft(null);
              setError(undefined);
            }}
          >
            Discard
          </Button>
        </div>
      )}
    </form>
  );
}

interface TypedInputProps {
  label: string;
  text: string;
  type: DataType;
  error: string | undefined;
  onChange: (text: string) => void;
}

function TypedInput({ label, text, type, error, onChange }: TypedInputProps) {
  if (type === 'boolean') {
    return (
      <Select
        label={label}
        isLabelHidden
        className="flex-1"
        options={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        value={text === 'false' ? 'false' : 'true'}
        onChange={onChange}
        error={error}
      />
    );
  }
  return (
    <TextField
      label={label}
      isLabelHidden
      className="flex-1"
      value={text}
      onChange={onChange}
      error={error}
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      {...(type === 'json' && { rows: 3 })}
    />
  );
}

function NewField({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const known = useDataKeys();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [type, setType] = useState<DataType>('text');
  const [error, setError] = useState<string>();
  const add = async () => {
    const read = readDataText(type === 'boolean' ? text || 'true' : text, type);
    if (name.trim() === '') return setError('Name the field');
    if (!read.ok) return setError(read.message);
    try {
      await save(contact, name.trim(), read.value);
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <form
      className="flex flex-col gap-2 rounded-lg border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <LeaveGuard isDirty={name !== '' || text !== ''} />
      <ComboBox
        label="Field"
        options={known.filter((key) => !(key in contact.data)).map((key) => ({ value: key, label: key }))}
        value={name}
        onChange={setName}
      />
      <Select label="Type" options={typeOptions} value={type} onChange={setType} />
      <TypedInput label="Value" text={text} type={type} error={error} onChange={setText} />
      <div className="flex gap-2">
        <Button type="submit">Add</Button>
        <Button look="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
