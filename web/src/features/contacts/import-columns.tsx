import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { Section } from '../../ui/page.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDataKeys } from './column-choice.tsx';
import { fieldOfKey, keyOfField } from './import-field.ts';
import { reservedName } from './save-contact.ts';

/** Target field by column name; null skips the column. */
export type Mapping = Record<string, string | null>;

type Use = 'email' | 'subscribed' | 'data' | 'none';

const uses = [
  { value: 'email', label: 'Address' },
  { value: 'subscribed', label: 'Subscribed' },
  { value: 'data', label: 'Data' },
  { value: 'none', label: 'Leave out' },
] as const;

const typeWords = { string: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date' } as const;

interface ImportColumnsProps {
  columns: string[];
  preview: Schema<'ImportPreview'> | undefined;
  /** Whether the preview is of this mapping. */
  isCurrent: boolean;
  mapping: Mapping;
  onChange: (mapping: Mapping) => void;
}

export function ImportColumns({ columns, preview, isCurrent, mapping, onChange }: ImportColumnsProps) {
  const previewOf = (name: string) => preview?.columns.find((one) => one.name === name);
  const fieldOf = (name: string): string | null => {
    const chosen = mapping[name];
    return chosen === undefined ? (previewOf(name)?.field ?? null) : chosen;
  };
  const set = (name: string, field: string | null) => onChange({ ...mapping, [name]: field });
  return (
    <Section
      title="Columns"
      description={
        preview === undefined
          ? 'Choose which column of the file holds the address.'
          : 'What each column of the file becomes. Its first value decides the type: a number, true or false, a date such as 2026-01-31, or text.'
      }
    >
      <Table
        label="Columns"
        rows={columns}
        idOf={(name) => name}
        columns={[
          nameColumn,
          {
            header: 'Becomes',
            cell: (name) => (
              <Select
                label={`What ${name} becomes`}
                isLabelHidden
                className="w-36"
                options={uses}
                value={roleOf(fieldOf(name))}
                onChange={(use) => set(name, use === 'none' ? null : use === 'data' ? fieldOfKey(name) : use)}
              />
            ),
          },
          {
            header: 'Field',
            cell: (name) => {
              const field = fieldOf(name);
              if (field === null && mapping[name] === undefined && preview !== undefined)
                return <span className="text-sm text-muted">{whyLeftOut(name)}</span>;
              if (field === null || roleOf(field) !== 'data') return null;
              const isIgnored = isCurrent && previewOf(name)?.field === null;
              return (
                <DataField
                  column={name}
                  error={isIgnored ? reservedName : undefined}
                  value={keyOfField(field)}
                  onChange={(key) => set(name, fieldOfKey(key))}
                />
              );
            },
          },
          {
            header: 'Type',
            isSecondary: true,
            cell: (name) => {
              const type = previewOf(name)?.type;
              return type ? typeWords[type] : '';
            },
          },
        ]}
      />
    </Section>
  );
}

interface DataFieldProps {
  column: string;
  error: string | undefined;
  value: string;
  onChange: (key: string) => void;
}

/** While it is empty, the field has the name of the column. */
function DataField({ column, error, value, onChange }: DataFieldProps) {
  const keys = useDataKeys();
  const [isEmpty, setIsEmpty] = useState(false);
  const text = isEmpty ? '' : value;
  return (
    <ComboBox
      label={`Field for ${column}`}
      isLabelHidden
      className="w-48"
      options={keys.map((key) => ({ value: key, label: key }))}
      error={error}
      placeholder={column}
      value={text}
      onChange={(key) => {
        if (key === text) return;
        setIsEmpty(key === '');
        onChange(key || column);
      }}
    />
  );
}

const nameColumn: Column<string> = {
  header: 'In the file',
  // Surveys name columns by whole questions.
  cell: (name) => (
    <span className="block max-w-64 truncate" title={name}>
      {name}
    </span>
  ),
};

const whyLeftOut = (name: string): string =>
  /^rejected (row|because)$/i.test(name)
    ? 'Left out: says why an earlier import rejected the row.'
    : reservedName;

function roleOf(field: string | null): Use {
  if (field === null) return 'none';
  return field === 'email' || field === 'subscribed' ? field : 'data';
}
