import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { type ItemsQuery, SearchSelect } from '../../ui/search-select.tsx';
import { OptionItem } from '../../ui/select.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';

interface OriginFilterProps {
  value: string | undefined;
  onChange: (id?: string) => void;
}

export function CampaignFilter({ value, onChange }: OriginFilterProps) {
  const origin = useOrigin();
  const query = { ...origin.query, body: 'false' as const };
  const found = $api.useQuery('get', '/campaigns', { params: { query } }, origin.options);
  const path = { id: value ?? '' };
  const chosen = $api.useQuery(
    'get',
    '/campaigns/{id}',
    { params: { path } },
    { enabled: value !== undefined },
  );
  return (
    <OriginSelect
      {...origin.field}
      label="Campaign"
      plural="campaigns"
      found={found.data?.data}
      query={found}
      value={value}
      shown={chosen.data?.data.name}
      onChange={onChange}
    />
  );
}

export function WorkflowFilter({ value, onChange }: OriginFilterProps) {
  const origin = useOrigin();
  const found = $api.useQuery('get', '/workflows', { params: { query: origin.query } }, origin.options);
  const path = { id: value ?? '' };
  const chosen = $api.useQuery(
    'get',
    '/workflows/{id}',
    { params: { path } },
    { enabled: value !== undefined },
  );
  return (
    <OriginSelect
      {...origin.field}
      label="Workflow"
      plural="workflows"
      found={found.data?.data}
      query={found}
      value={value}
      shown={chosen.data?.name}
      onChange={onChange}
    />
  );
}

interface SearchText {
  search: string;
  onSearch: (search: string) => void;
  onOpen: () => void;
}

/** The search state of one of these fields. Sends no request before the field opens. */
function useOrigin() {
  const [isUsed, setIsUsed] = useState(false);
  const [search, setSearch] = useState('');
  const sought = useDebounced(search.trim());
  return {
    field: { search, onSearch: setSearch, onOpen: () => setIsUsed(true) } satisfies SearchText,
    query: { pageSize: 20, ...(sought !== '' && { search: sought }) },
    options: { enabled: isUsed, placeholderData: keepPreviousData },
  };
}

interface OriginSelectProps extends OriginFilterProps, SearchText {
  label: string;
  plural: string;
  query: ItemsQuery;
  found: readonly { id: string; name: string }[] | undefined;
  shown: string | undefined;
}

function OriginSelect({ plural, found, value, shown, onChange, ...field }: OriginSelectProps) {
  const every = { value: 'all', label: `All ${plural}` };
  const options = (found ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <SearchSelect
      {...field}
      isLabelHidden
      className="w-36"
      searchLabel={`Find ${plural}`}
      value={value ?? every.value}
      shown={value === undefined ? every.label : shown}
      onChange={(chosen) => onChange(chosen === every.value ? undefined : chosen)}
      empty="Nothing matches."
    >
      {(field.search === '' ? [every, ...options] : options).map((option) => (
        <OptionItem key={option.value} option={option} />
      ))}
    </SearchSelect>
  );
}
