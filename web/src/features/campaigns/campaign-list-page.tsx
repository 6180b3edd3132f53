import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RecordListPage } from '../../ui/record-list-page.tsx';
import { statusLabels } from './campaign-status-badge.tsx';
import { CampaignTable } from './campaign-table.tsx';
import { campaignListQuery, pollMs } from './queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns');

const statuses = [
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
    refetchInterval: ({ state }) => pollMs(state.data?.data ?? []),
  });
  return (
    <RecordListPage
      title="Campaigns"
      noun="campaign"
      action={
        <ButtonLink look="primary" to="/projects/$projectId/campaigns/new" params={{ projectId }}>
          New campaign
        </ButtonLink>
      }
      query={query}
      shown={{ search, sort, page }}
      onChange={change}
      filter={{
        label: 'Status',
        every: 'All statuses',
        options: statuses,
        value: status,
        onChange: (value) => change({ status: value }),
      }}
      empty={
        <EmptyState title="No campaigns yet">
          A campaign is one email to many people, now or at a time that you choose. Write the first one.
        </EmptyState>
      }
    >
      {(campaigns) => <CampaignTable campaigns={campaigns} />}
    </RecordListPage>
  );
}
