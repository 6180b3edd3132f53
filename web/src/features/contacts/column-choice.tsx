import { useQuery } from '@tanstack/react-query';
import { Columns3, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, SearchField } from '../../ui/field.tsx';
import { DeleteFieldDialog } from './delete-field-dialog.tsx';
import { keyLabel, matchingKeys } from './key-label.ts';
import { fieldsQuery } from './queries.ts';

const keysSchema = z.array(z.string()).catch([]);

/**
 * Keys of `data` shown as columns of the list, stored per project on this device. Leaves out keys that no contact has
 * any more.
 */
export function useDataColumns(): [string[], (keys: string[]) => void] {
  const place = `posthaste-columns-${useProjectId()}`;
  const [keys, setKeys] = useState(() => keysSchema.parse(parseJson(localStorage.getItem(place))));
  const { data: known } = useQuery(fieldsQuery);
  return [
    known === undefined ? keys : keys.filter((key) => dataKeysOf(known).includes(key)),
    (chosen) => {
      localStorage.setItem(place, JSON.stringify(chosen));
      setKeys(chosen);
    },
  ];
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
}

/** The keys of `data` that contacts have. */
export function useDataKeys(): string[] {
  const { data } = useQuery(fieldsQuery);
  return data === undefined ? [] : dataKeysOf(data);
}

const dataKeysOf = ({ fields }: { fields: Schema<'ContactField'>[] }): string[] =>
  fields.filter(({ isCustom }) => isCustom).map(({ field }) => field.slice('data.'.length));

/** Up to here the list needs no search. */
const fewKeys = 10;

interface ColumnChoiceProps {
  chosen: string[];
  onChange: (keys: string[]) => void;
}

export function ColumnChoice({ chosen, onChange }: ColumnChoiceProps) {
  const keys = useDataKeys();
  const [isOpen, setIsOpen] = useState(false);
  const [search, setSearch] = useState('');
  const [deleted, setDeleted] = useState<string | null>(null);
  const hide = (key: string) => onChange(chosen.filter((other) => other !== key));
  const found = matchingKeys(keys, search);
  if (keys.length === 0) return null;
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
        <Button>
          <Columns3 className="size-4" />
          Columns
        </Button>
        <Popover
          offset={4}
          className="max-h-80 min-w-48 overflow-y-auto rounded-lg bg-raised p-3 shadow-overlay"
        >
          <Dialog aria-label="Columns" className="flex flex-col gap-1 outline-none">
            {keys.length > fewKeys && (
              <SearchField label="Find a field" value={search} onChange={setSearch} className="mb-2" />
            )}
            {found.length === 0 && <p className="text-muted">No field matches.</p>}
            {found.map((key) => (
              <div key={key} className="flex items-center justify-between gap-4">
                <Checkbox
                  isSelected={chosen.includes(key)}
                  onChange={(isShown) => (isShown ? onChange([...chosen, key]) : hide(key))}
                >
                  {keyLabel(key)}
                </Checkbox>
                <IconButton
                  label={`Delete the field ${key} …`}
                  className="size-7"
                  onPress={() => {
                    setIsOpen(false);
                    setDeleted(key);
                  }}
                >
                  <Trash2 className="size-3.5" />
                </IconButton>
              </div>
            ))}
          </Dialog>
        </Popover>
      </DialogTrigger>
      {deleted !== null && (
        <DeleteFieldDialog
          dataKey={deleted}
          onClose={() => setDeleted(null)}
          onDeleted={() => hide(deleted)}
        />
      )}
    </>
  );
}
