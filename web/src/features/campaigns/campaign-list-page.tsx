import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Pager } from '../../ui/list.tsx';
import { ListToolbar } from '../../ui/list-toolbar.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { statusLabels } from './campaign-status-badge.tsx';
import { CampaignTable } from './campaign-table.tsx';
import { campaignListQuery } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns');

const statuses = [
  { value: 'all', label: 'All statuses' },
  { value: 'DRAFT', label: statusLabels.DRAFT },
  { value: 'SCHEDULED', label: statusLabels.SCHEDULED },
  { value: 'SENDING', label: statusLabels.SENDING },
  { value: 'SENT', label: statusLabels.SENT },
  { value: 'CANCELLED', label: statusLabels.CANCELLED },
] as const;

export function CampaignListPage() {
  const { search, status, sort, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (fields: ReturnType<typeof route.useSearch>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...fields }), replace });
  const projectId = useProjectId();
  const query = useQuery({
    ...campaignListQuery({ search, status, sort, page }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some((campaign) => campaign.status === 'SENDING') ? 3_000 : false,
  });
  return (
    <Page
      title="Campaigns"
      description={query.data && quantity(query.data.total, 'campaign')}
      actions={
        <ButtonLink look="primary" to="/projects/$projectId/campaigns/new" params={{ projectId }}>
          New campaign
        </ButtonLink>
      }
      toolbar={
        <ListToolbar
          search={search}
          onSearch={(text) => change({ search: text }, true)}
          filter={{
            label: 'Status',
            options: statuses,
            value: status,
            onChange: (value) => change({ status: value }),
          }}
          sort={sort}
          onSort={(order) => change({ sort: order })}
        />
      }
    >
      <Loaded query={query}>
        {({ data, totalPages }) =>
          data.length === 0 ? (
            <NoCampaigns isFiltered={search !== undefined || status !== undefined} />
          ) : (
            <>
              <CampaignTable campaigns={data} />
              <Pager page={page} totalPages={totalPages} onPage={(next) => change({ page: next })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoCampaigns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="Nothing matches">Change the search or the status.</EmptyState>;
  return (
    <EmptyState title="No campaigns yet">
      A campaign is one email to many people, now or at a time that you choose. Write the first one.
    </EmptyState>
  );
}
