import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { count } from '../../ui/numbers.ts';
import { Page } from '../../ui/page.tsx';
import { searchForm } from '../../ui/search-form.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { readCondition } from './condition-builder/condition.ts';
import { describeCondition } from './condition-builder/describe-condition.ts';
import { useConditionNames } from './condition-builder/use-condition-names.ts';
import { segmentsQuery } from './queries.ts';
import { SegmentBadges } from './segment-badges.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/segments');

export function SegmentListPage() {
  const projectId = useProjectId();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(segmentsQuery);
  const create = (
    <ButtonLink look="primary" to="/projects/$projectId/segments/new" params={{ projectId }} search={{}}>
      New segment
    </ButtonLink>
  );
  return (
    <Page
      title="Segments"
      description="Groups of contacts for campaigns, workflows and other segments."
      actions={create}
      toolbar={
        <ListSearch
          label="Search segments"
          value={search}
          onChange={(text) => void navigate({ search: { search: text }, replace: true })}
        />
      }
    >
      <Loaded query={query}>
        {({ data }) => {
          if (data.length === 0) {
            return (
              <EmptyState title="No segments yet">
                Describe who belongs, such as everyone who opened an email in the last 30 days, or keep a list
                by hand.
              </EmptyState>
            );
          }
          const found = data.filter((segment) => matches(segment, search));
          if (found.length === 0) return <EmptyState title="Nothing matches">Change the search.</EmptyState>;
          return <SegmentTable segments={found} />;
        }}
      </Loaded>
    </Page>
  );
}

const matches = ({ name, description }: Schema<'Segment'>, search = ''): boolean =>
  searchForm(`${name}\n${description ?? ''}`).includes(searchForm(search));

function SegmentTable({ segments }: { segments: Schema<'Segment'>[] }) {
  const projectId = useProjectId();
  const navigate = route.useNavigate();
  const nameOf = useConditionNames(segments.map(({ condition }) => condition));
  const columns: Column<Schema<'Segment'>>[] = [
    {
      header: 'Name',
      isBreakable: true,
      cell: ({ id, name }) => (
        <RowLink
          to="/projects/$projectId/segments/$segmentId"
          params={{ projectId, segmentId: id }}
          search={{}}
        >
          {name}
        </RowLink>
      ),
    },
    {
      header: 'Who belongs',
      isSecondary: true,
      cell: ({ condition, description }) => (
        <span className="line-clamp-2 text-muted">
          {condition
            ? describeCondition(readCondition(condition), nameOf)
            : (description ?? 'Addresses chosen by hand')}
        </span>
      ),
    },
    {
      header: 'Type',
      isSecondary: true,
      cell: (segment) => (
        <span className="flex gap-1">
          <SegmentBadges segment={segment} />
        </span>
      ),
    },
    { header: 'Members', align: 'right', cell: ({ memberCount }) => count(memberCount) },
    {
      header: 'Changed',
      align: 'right',
      isSecondary: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
  return (
    <Table
      label="Segments"
      rows={segments}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) =>
        void navigate({
          to: '/projects/$projectId/segments/$segmentId',
          params: { projectId, segmentId: id },
          search: {},
        })
      }
    />
  );
}
