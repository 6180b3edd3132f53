import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Header } from 'react-aria-components/Header';
import { ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox';
import { $api } from '../../../api/client.ts';
import { searchForm } from '../../../ui/search-form.ts';
import { SearchSelect } from '../../../ui/search-select.tsx';
import { optionLook } from '../../../ui/select.tsx';
import { useDebounced } from '../../../ui/use-debounced.ts';
import { chosenLabel } from './field-label.ts';
import { type FieldSource, typeWords } from './operators.ts';
import { type FieldOption, type KnownFields, sections } from './use-fields.ts';

interface FieldSelectProps {
  value: string;
  onChange: (field: string) => void;
  source: FieldSource;
  fields: KnownFields;
  error: string | undefined;
  className: string;
}

/** A project may have 10,000 fields. */
const mostShown = 100;

/** Selects the field of a filter by part of its name; also offers a name that is not known yet. */
export function FieldSelect({ value, onChange, source, fields, error, className }: FieldSelectProps) {
  const [search, setSearch] = useState('');
  const [isUsed, setIsUsed] = useState(false);
  const campaigns = useCampaigns(search, isUsed);
  const matches = matching([...fields.options, ...campaigns.options], search);
  // Enter chooses the first one, which a campaign that is found later would not become.
  const unseen = campaigns.isLoading ? [] : newFields(search.trim(), source, fields.options);
  const options = [...matches, ...unseen];
  return (
    <SearchSelect
      label="Field"
      isLabelHidden
      value={value === '' ? null : value}
      shown={chosenLabel(value, fields.nameOf)}
      onChange={onChange}
      search={search}
      onSearch={setSearch}
      onOpen={() => setIsUsed(true)}
      searchLabel="Find a field"
      placeholder="Choose a field"
      error={error}
      className={className}
      query={fields.missing ?? (campaigns.isLoading ? campaigns.query : undefined)}
      empty="Nothing has this name. Type it in full."
    >
      {sections.map((section) => (
        <FieldSection key={section} title={section} options={options} />
      ))}
    </SearchSelect>
  );
}

function FieldSection({ title, options }: { title: FieldOption['section']; options: FieldOption[] }) {
  const own = options.filter(({ section }) => section === title);
  if (own.length === 0) return null;
  return (
    <ListBoxSection>
      <Header className="px-2 pt-2 pb-1 text-xs font-medium text-faint">{title}</Header>
      {own.map(({ field, label, type }) => (
        <ListBoxItem key={field} id={field} textValue={label} className={optionLook}>
          <span className="min-w-0 flex-1 truncate">{label}</span>
          <span className="max-w-32 truncate text-xs text-muted">
            {field.startsWith('data.') ? field.slice('data.'.length) : type && typeWords[type]}
          </span>
        </ListBoxItem>
      ))}
    </ListBoxSection>
  );
}

/** The newest campaigns, also for "campaign", and all others by part of their name. Drafts have gone to nobody. */
function useCampaigns(search: string, isUsed: boolean) {
  const wanted = search.trim();
  const soughtNow = 'campaigns'.startsWith(searchForm(wanted)) ? '' : wanted;
  const sought = useDebounced(soughtNow);
  const query = { pageSize: 20, body: 'false' as const, ...(sought !== '' && { search: sought }) };
  const options = { enabled: isUsed, placeholderData: keepPreviousData };
  const { data, error, refetch, isFetching } = $api.useQuery(
    'get',
    '/campaigns',
    { params: { query } },
    options,
  );
  return {
    options: (data?.data ?? [])
      .filter(({ status }) => status !== 'DRAFT')
      .map(({ id, name }): FieldOption => ({ field: `campaign.${id}`, label: name, section: 'Campaigns' })),
    isLoading: isUsed && error === null && (sought !== soughtNow || isFetching),
    query: { data: undefined, error, refetch },
  };
}

function matching(options: readonly FieldOption[], search: string): FieldOption[] {
  const wanted = searchForm(search.trim());
  // A name that is both an event and a field of event data is one option.
  const unique = [...new Map(options.map((option) => [option.field, option])).values()];
  return unique
    .filter(({ field, label }) => searchForm(`${label}\n${field}`).includes(wanted))
    .slice(0, mostShown);
}

/** Data and events that have not occurred yet, such as a nested key. */
function newFields(name: string, source: FieldSource, known: readonly FieldOption[]): FieldOption[] {
  if (name === '') return [];
  const owner = /^(data|event|context)\../.exec(name)?.[1];
  const bare = owner === undefined ? name : name.slice(owner.length + 1);
  const candidates: FieldOption[] = [
    { field: `data.${bare}`, label: `Data “${bare}”`, section: 'Not seen yet' },
    { field: `event.${bare}`, label: `Event “${bare}”`, section: 'Not seen yet' },
  ];
  if (source === 'workflow') {
    candidates.push({ field: `context.${bare}`, label: `Context “${bare}”`, section: 'Not seen yet' });
  }
  return candidates.filter(
    ({ field }) =>
      (owner === undefined || field.startsWith(`${owner}.`)) && !known.some((one) => one.field === field),
  );
}
