import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count, quantity, share } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { SearchSelect } from '../../ui/search-select.tsx';
import { OptionItem } from '../../ui/select.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { compareShares } from './chance.ts';
import { campaignListQuery, campaignQuery, isUnsent, reportMs } from './queries.ts';

type Campaign = Schema<'ListedCampaign'>;

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');

/** The rates of another campaign beside those of this one: at first of the other half of a test of two subjects. */
export function CompareSection({ campaign }: { campaign: Schema<'Campaign'> }) {
  const { compare } = route.useSearch();
  const twin = useTwin(campaign, compare === undefined);
  const id = compare ?? twin?.id;
  const query = useQuery({
    ...campaignQuery(id ?? ''),
    enabled: id !== undefined,
    refetchInterval: reportMs,
  });
  const shown = id === undefined ? undefined : query.data?.data.name;
  return (
    <Section title="Comparison" actions={<OtherSelect campaign={campaign} id={id} shown={shown} />}>
      {id !== undefined && (
        <Loaded query={query}>{({ data }) => <Comparison campaigns={[campaign, data]} />}</Loaded>
      )}
    </Section>
  );
}

/** The campaign with the other subject, which a test names alike. */
function useTwin({ name }: Campaign, isWanted: boolean): Campaign | undefined {
  const [, start, part] = /^(.*) \((A|B)\)$/.exec(name) ?? [];
  const search = `${start} (${part === 'A' ? 'B' : 'A'})`;
  const enabled = isWanted && part !== undefined;
  const { data } = useQuery({ ...campaignListQuery({ search }), enabled });
  return data?.data.find((one) => one.name === search && !isUnsent(one));
}

interface OtherSelectProps {
  campaign: Campaign;
  id: string | undefined;
  shown: string | undefined;
}

function OtherSelect({ campaign, id, shown }: OtherSelectProps) {
  const navigate = route.useNavigate();
  const [isUsed, setIsUsed] = useState(false);
  const [search, setSearch] = useState('');
  const sought = useDebounced(search.trim()) || undefined;
  const query = useQuery({
    ...campaignListQuery({ search: sought }),
    enabled: isUsed,
    placeholderData: keepPreviousData,
  });
  return (
    <SearchSelect
      label="Compare with"
      isLabelHidden
      className="w-56"
      placeholder="Compare with a campaign"
      searchLabel="Find a campaign"
      search={search}
      onSearch={setSearch}
      onOpen={() => setIsUsed(true)}
      value={id ?? null}
      shown={shown}
      onChange={(compare) =>
        void navigate({ search: (before) => ({ ...before, compare }), resetScroll: false })
      }
      query={query}
      empty="No other campaign that was sent matches."
    >
      {(query.data?.data ?? [])
        .filter((one) => one.id !== campaign.id && one.sentCount > 0)
        .map((one) => (
          <OptionItem key={one.id} option={{ value: one.id, label: one.name, note: one.subject }} />
        ))}
    </SearchSelect>
  );
}

const measures = [
  { label: 'Opened', part: 'openedCount' },
  { label: 'Clicked', part: 'clickedCount' },
  { label: 'Unsubscribed', part: 'unsubscribedCount' },
] as const;

function Comparison({ campaigns }: { campaigns: [Campaign, Campaign] }) {
  const projectId = useProjectId();
  const columns: Column<Campaign>[] = [
    {
      header: 'Campaign',
      className: 'w-full max-w-0',
      cell: ({ id, name, subject }) => (
        <>
          <RowLink to="/projects/$projectId/campaigns/$campaignId" params={{ projectId, campaignId: id }}>
            {name}
          </RowLink>
          <p className="truncate text-sm text-muted">{subject}</p>
        </>
      ),
    },
    { header: 'Sent', align: 'right', isSecondary: true, cell: ({ sentCount }) => count(sentCount) },
    ...measures.map(
      ({ label, part }): Column<Campaign> => ({
        header: label,
        align: 'right',
        isSecondary: part === 'unsubscribedCount',
        cell: (one) => (
          <>
            {share(one[part], one.sentCount)}
            <span className="block text-xs whitespace-nowrap text-muted">
              {quantity(one[part], 'person', 'people')}
            </span>
          </>
        ),
      }),
    ),
  ];
  return (
    <>
      <Table label="Comparison" rows={campaigns} columns={columns} idOf={({ id }) => id} />
      <ul className="text-sm break-words">
        {measures.map(({ label, part }) => (
          <li key={part}>
            <span className="font-medium">{label}:</span> {describeDifference(campaigns, part)}
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        Chance alone makes a difference that is called real in fewer than 5 of 100 comparisons.
      </p>
    </>
  );
}

function describeDifference(
  [one, other]: [Campaign, Campaign],
  part: (typeof measures)[number]['part'],
): string {
  const of = (each: Campaign) => ({ part: each[part], total: each.sentCount });
  switch (compareShares(of(one), of(other))) {
    case 'few':
      return 'too few people to tell.';
    case 'chance':
      return 'the difference could be chance.';
    case 'real': {
      const { name } = one[part] / one.sentCount > other[part] / other.sentCount ? one : other;
      return `a real difference, more for “${name}”.`;
    }
  }
}
