import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ListSearch } from '../../ui/list-search.tsx';
import { PeriodFilter } from '../../ui/period-filter.tsx';
import { type Option, Select } from '../../ui/select.tsx';
import type { EmailSearch } from './email-search.ts';
import { sourceOptions } from './email-source.ts';
import { statusOptions } from './email-status.tsx';

interface EmailFiltersProps {
  search: EmailSearch;
  /** Changes these fields of the address and leaves the others. */
  onChange: (change: EmailSearch) => void;
}

export function EmailFilters({ search, onChange }: EmailFiltersProps) {
  const [areShown, setAreShown] = useState(false);
  const chosen = [search.status, search.source, search.campaignId, search.workflowId, search.period].filter(
    Boolean,
  ).length;
  return (
    <>
      <ListSearch
        label="Recipient or subject"
        value={search.search}
        onChange={(text) => onChange({ search: text })}
      />
      <Button className="md:hidden" aria-expanded={areShown} onPress={() => setAreShown(!areShown)}>
        <SlidersHorizontal aria-hidden className="size-4" />
        {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
      </Button>
      <div
        className={classNames('flex flex-wrap items-center gap-2 md:contents', !areShown && 'max-md:hidden')}
      >
        <ChoiceFilter
          label="Status"
          every="All statuses"
          options={statusOptions}
          value={search.status}
          onChange={(status) => onChange({ status })}
        />
        <ChoiceFilter
          label="Source"
          every="All sources"
          options={sourceOptions}
          value={search.source}
          onChange={(source) => onChange({ source })}
        />
        <CampaignFilter value={search.campaignId} onChange={(campaignId) => onChange({ campaignId })} />
        <WorkflowFilter value={search.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
        <PeriodFilter value={search} onChange={onChange} />
      </div>
    </>
  );
}

interface ChoiceFilterProps<Value extends string> {
  label: string;
  /** Shown when nothing is selected. */
  every: string;
  options: readonly Option<Value>[];
  value: Value | undefined;
  onChange: (value?: Value) => void;
}

function ChoiceFilter<Value extends string>(props: ChoiceFilterProps<Value>) {
  const { label, every, options, value, onChange } = props;
  return (
    <Select<Value | 'all'>
      label={label}
      isLabelHidden
      className="w-36"
      options={[{ value: 'all', label: every }, ...options]}
      value={value ?? 'all'}
      onChange={(chosen) => onChange(chosen === 'all' ? undefined : chosen)}
    />
  );
}

type NamedFilterProps = Pick<ChoiceFilterProps<string>, 'value' | 'onChange'>;

// Behind the emails, which the page is about.
const newest = { params: { query: { pageSize: 100 } }, priority: 'low' } as const;
const newestCampaigns = {
  params: { query: { pageSize: 100, body: 'false' } },
  priority: 'low',
} as const;

function CampaignFilter(props: NamedFilterProps) {
  const { data } = $api.useQuery('get', '/campaigns', newestCampaigns);
  const path = { id: props.value ?? '' };
  const enabled = isOlder(props.value, data?.data);
  const chosen = $api.useQuery('get', '/campaigns/{id}', { params: { path } }, { enabled });
  return (
    <ChoiceFilter
      {...props}
      label="Campaign"
      every="All campaigns"
      options={toOptions(data?.data, props.value, chosen.data?.data.name ?? 'One campaign')}
    />
  );
}

function WorkflowFilter(props: NamedFilterProps) {
  const { data } = $api.useQuery('get', '/workflows', newest);
  const path = { id: props.value ?? '' };
  const enabled = isOlder(props.value, data?.data);
  const chosen = $api.useQuery('get', '/workflows/{id}', { params: { path } }, { enabled });
  return (
    <ChoiceFilter
      {...props}
      label="Workflow"
      every="All workflows"
      options={toOptions(data?.data, props.value, chosen.data?.name ?? 'One workflow')}
    />
  );
}

type Named = { id: string; name: string };

const isOlder = (chosen: string | undefined, newestOnes: readonly Named[] | undefined): boolean =>
  chosen !== undefined && newestOnes !== undefined && !newestOnes.some(({ id }) => id === chosen);

/** Includes the selected record, even if it is not among the newest 100. */
function toOptions(records: readonly Named[] = [], chosen: string | undefined, name: string): Option[] {
  const options = records.map(({ id, name: label }) => ({ value: id, label }));
  const isListed = chosen === undefined || options.some(({ value }) => value === chosen);
  return isListed ? options : [{ value: chosen, label: name }, ...options];
}
