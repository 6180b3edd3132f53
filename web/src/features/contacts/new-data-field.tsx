import { useState } from 'react';
import { messageOf } from '../../api/api-error.ts';
import type { Schema } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { useDataKeys } from './column-choice.tsx';
import { type DataType, readDataText } from './data-text.ts';
import { saveDataField } from './save-contact.ts';
import { TypedInput, typeOptions } from './typed-input.tsx';

export function NewDataField({ contact, onClose }: { contact: Schema<'Contact'>; onClose: () => void }) {
  const known = useDataKeys();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [type, setType] = useState<DataType>('text');
  const [error, setError] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const add = async () => {
    if (isPending) return;
    const read = readDataText(type === 'boolean' ? text || 'true' : text, type);
    if (name.trim() === '') return setError('Enter a field name');
    if (Object.hasOwn(contact.data, name.trim())) return setError('The contact has this field already');
    if (!read.ok) return setError(read.message);
    setIsPending(true);
    try {
      await saveDataField(contact, name.trim(), read.value);
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
      setIsPending(false);
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
        <Button type="submit" isPending={isPending}>
          Add
        </Button>
        <Button look="quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
