import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { classNames } from '../../ui/class-names.ts';
import { ListSearch } from '../../ui/list-search.tsx';
import { PeriodFilter } from '../../ui/period-filter.tsx';
import { CampaignFilter, WorkflowFilter } from './email-origin-filters.tsx';
import type { EmailSearch } from './email-search.ts';
import { sourceOptions } from './email-source.ts';
import { statusOptions } from './email-status.tsx';

interface EmailFiltersProps {
  search: EmailSearch;
  /** Changes these fields in the URL and leaves the others. */
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
          className="w-36"
        />
        <ChoiceFilter
          label="Source"
          every="All sources"
          options={sourceOptions}
          value={search.source}
          onChange={(source) => onChange({ source })}
          className="w-36"
        />
        <CampaignFilter value={search.campaignId} onChange={(campaignId) => onChange({ campaignId })} />
        <WorkflowFilter value={search.workflowId} onChange={(workflowId) => onChange({ workflowId })} />
        <PeriodFilter value={search} onChange={onChange} />
      </div>
    </>
  );
}
