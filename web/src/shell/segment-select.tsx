import { type RefCallback, useState } from 'react';
import type { Schema } from '../api/client.ts';
import { quantity } from '../ui/numbers.ts';
import { searchForm } from '../ui/search-form.ts';
import { type ItemsQuery, SearchSelect } from '../ui/search-select.tsx';
import { OptionItem } from '../ui/select.tsx';

interface SegmentSelectProps {
  segments: readonly Schema<'Segment'>[];
  query: ItemsQuery;
  value: string;
  onChange: (id: string) => void;
  error?: string | undefined;
  buttonRef?: RefCallback<HTMLButtonElement>;
}

export function SegmentSelect({ segments, query, value, onChange, error, buttonRef }: SegmentSelectProps) {
  const [search, setSearch] = useState('');
  const sought = searchForm(search.trim());
  return (
    <SearchSelect
      label="Segment"
      className="max-w-md"
      searchLabel="Find a segment"
      search={search}
      onSearch={setSearch}
      value={value || null}
      shown={segments.find(({ id }) => id === value)?.name}
      onChange={onChange}
      error={error}
      {...(buttonRef && { buttonRef })}
      placeholder="Choose a segment"
      query={query}
      empty="Nothing matches."
    >
      {segments
        .filter(({ name }) => searchForm(name).includes(sought))
        .map(({ id, name, memberCount }) => (
          <OptionItem key={id} option={{ value: id, label: name, note: quantity(memberCount, 'member') }} />
        ))}
    </SearchSelect>
  );
}
