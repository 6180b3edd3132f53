import { ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { $api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { SearchSelect } from '../../ui/search-select.tsx';
import { ComboBox, OptionItem } from '../../ui/select.tsx';
import { useDataKeys } from './column-choice.tsx';
import { keyLabel, matchingKeys } from './key-label.ts';

interface DataFiltersProps {
  filters: Record<string, string>;
  onChange: (filters: Record<string, string>) => void;
}

/** Filters by one value per key of `data`, as removable chips. */
export function DataFilters({ filters, onChange }: DataFiltersProps) {
  const keys = useDataKeys();
  return (
    <>
      {Object.entries(filters).map(([key, value]) => (
        <Button
          key={key}
          aria-label={`Remove the filter ${keyLabel(key)} is ${value}`}
          onPress={() =>
            onChange(Object.fromEntries(Object.entries(filters).filter(([other]) => other !== key)))
          }
        >
          {keyLabel(key)} is {value}
          <X className="size-3.5 text-faint" />
        </Button>
      ))}
      {keys.length > 0 && (
        <DialogTrigger>
          <Button>
            <ListFilter className="size-4" />
            Filter
          </Button>
          <Popover offset={4} className="w-72 rounded-lg bg-raised p-4 shadow-overlay">
            <Dialog aria-label="Filter by data" className="outline-none">
              {({ close }) => (
                <NewFilter
                  keys={keys}
                  onAdd={(key, value) => {
                    onChange({ ...filters, [key]: value });
                    close();
                  }}
                />
              )}
            </Dialog>
          </Popover>
        </DialogTrigger>
      )}
    </>
  );
}

function NewFilter({ keys, onAdd }: { keys: string[]; onAdd: (key: string, value: string) => void }) {
  const [key, setKey] = useState(keys[0] ?? '');
  const [value, setValue] = useState('');
  const [search, setSearch] = useState('');
  const { data } = $api.useQuery(
    'get',
    '/contacts/fields/{field}/values',
    { params: { path: { field: `data.${key}` } } },
    { staleTime: 60_000 },
  );
  const options = (data?.values ?? []).map((known) => ({ value: String(known), label: String(known) }));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== '') onAdd(key, value);
      }}
    >
      <SearchSelect
        label="Field"
        searchLabel="Find a field"
        search={search}
        onSearch={setSearch}
        value={key}
        shown={keyLabel(key)}
        onChange={setKey}
        empty="No field matches."
      >
        {matchingKeys(keys, search).map((one) => (
          <OptionItem key={one} option={{ value: one, label: keyLabel(one) }} />
        ))}
      </SearchSelect>
      <ComboBox label="Is" options={options} value={value} onChange={setValue} />
      <Button type="submit" isDisabled={value === ''}>
        Add filter
      </Button>
    </form>
  );
}
