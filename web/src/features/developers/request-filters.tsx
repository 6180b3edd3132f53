import { RotateCw, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { classNames } from '../../ui/class-names.ts';
import { SearchField } from '../../ui/field.tsx';
import { periodLengths } from '../../ui/period.ts';
import { PeriodFilter } from '../../ui/period-filter.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { useSearchText } from '../../ui/use-search-text.ts';
import { isRequestId, isRoute, methods, type RequestSearch } from './request-search.ts';

const statuses = [
  { value: '2xx', label: '2xx: succeeded' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed' },
];

const callers = [
  { value: 'keys', label: 'API keys' },
  { value: 'dashboard', label: 'Dashboard' },
  { value: 'all', label: 'All callers' },
] as const;

interface RequestFiltersProps {
  search: RequestSearch;
  /** Changes these fields in the URL and leaves the others. */
  onChange: (change: RequestSearch) => void;
  /** Suggestions for the route filter. */
  routes: readonly string[];
  onRefresh: () => void;
}

export function RequestFilters({ search, onChange, routes, onRefresh }: RequestFiltersProps) {
  const [areShown, setAreShown] = useState(false);
  const { status, method, by } = search;
  const chosen = [status, method, search.route, by, search.period].filter(Boolean).length;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <RequestIdField value={search.requestId} onChange={(requestId) => onChange({ requestId })} />
      <Button className="md:hidden" aria-expanded={areShown} onPress={() => setAreShown(!areShown)}>
        <SlidersHorizontal aria-hidden className="size-4" />
        {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
      </Button>
      <IconButton label="Refresh" className="md:order-last" onPress={onRefresh}>
        <RotateCw className="size-4" />
      </IconButton>
      <div
        className={classNames('flex flex-wrap items-center gap-2 md:contents', !areShown && 'max-md:hidden')}
      >
        <ChoiceFilter
          label="Status"
          every="All statuses"
          options={[
            ...statuses,
            ...(status === undefined || status.endsWith('xx') ? [] : [{ value: status, label: status }]),
          ]}
          value={status}
          onChange={(value) => onChange({ status: value })}
          className="w-36"
        />
        <ChoiceFilter
          label="Method"
          every="All methods"
          options={methods.map((value) => ({ value, label: value }))}
          value={method}
          onChange={(value) => onChange({ method: value })}
          className="w-32"
        />
        <RouteField value={search.route} routes={routes} onChange={(route) => onChange({ route })} />
        <PeriodFilter value={search} onChange={onChange} lengths={periodLengths.slice(0, 1)} />
        <Select
          label="Caller"
          isLabelHidden
          className="w-32"
          options={callers}
          value={by ?? 'keys'}
          onChange={(value) => onChange({ by: value === 'keys' ? undefined : value })}
        />
      </div>
    </div>
  );
}

interface TextFilterProps {
  value: string | undefined;
  onChange: (value?: string) => void;
}

function RequestIdField({ value, onChange }: TextFilterProps) {
  const [text, setText] = useSearchText(value, onChange, isRequestId);
  return <SearchField label="Request id" className="w-52" value={text} onChange={setText} />;
}

function RouteField({ routes, value, onChange }: TextFilterProps & { routes: readonly string[] }) {
  const [text, setText] = useSearchText(value, onChange, isRoute);
  return (
    <ComboBox
      label="Route"
      isLabelHidden
      className="w-48"
      placeholder="Route, such as /contacts/:id"
      options={routes.map((value) => ({ value, label: value }))}
      value={text}
      onChange={setText}
    />
  );
}
