import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { $api } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Pager } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { statusLabels } from './campaign-status-badge.tsx';
import { CampaignTable } from './campaign-table.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns');

const statuses = [
  { value: 'all', label: 'Every status' },
  { value: 'DRAFT', label: statusLabels.DRAFT },
  { value: 'SCHEDULED', label: statusLabels.SCHEDULED },
  { value: 'SENDING', label: statusLabels.SENDING },
  { value: 'SENT', label: statusLabels.SENT },
  { value: 'CANCELLED', label: statusLabels.CANCELLED },
] as const;
const orders = [
  { value: 'createdAt', label: 'Newest first' },
  { value: 'updatedAt', label: 'Last changed first' },
  { value: 'name', label: 'By name' },
] as const;

export function CampaignListPage() {
  const { search, status, sort, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const projectId = useProjectId();
  const dir = sort === 'name' ? 'asc' : 'desc';
  const query = $api.useQuery(
    'get',
    '/campaigns',
    { params: { query: { search, status, sort, dir, page, pageSize: 25 } } },
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        state.data?.data.some((campaign) => campaign.status === 'SENDING') ? 3_000 : false,
    },
  );
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
        <>
          <ListSearch
            label="Search names and subjects"
            value={search}
            onChange={(text) =>
              void navigate({
                search: (before) => ({ ...before, search: text, page: undefined }),
                replace: true,
              })
            }
          />
          <Select
            label="Status"
            isLabelHidden
            className="w-40"
            options={statuses}
            value={status ?? 'all'}
            onChange={(value) =>
              void navigate({
                search: (before) => ({
                  ...before,
                  status: value === 'all' ? undefined : value,
                  page: undefined,
                }),
              })
            }
          />
          <Select
            label="Order"
            isLabelHidden
            className="w-44"
            options={orders}
            value={sort ?? 'createdAt'}
            onChange={(value) =>
              void navigate({
                search: (before) => ({
                  ...before,
                  sort: value === 'createdAt' ? undefined : value,
                  page: undefined,
                }),
              })
            }
          />
        </>
      }
    >
      <Loaded query={query}>
        {({ data, totalPages }) =>
          data.length === 0 ? (
            <NoCampaigns isFiltered={search !== undefined || status !== undefined} />
          ) : (
            <>
              <CampaignTable campaigns={data} />
              <Pager
                page={page}
                totalPages={totalPages}
                onPage={(next) => void navigate({ search: (before) => ({ ...before, page: next }) })}
              />
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
