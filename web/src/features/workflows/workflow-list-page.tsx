import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, RowLink, TextLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded, Pager, PastLastPage } from '../../ui/list.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { executionFigure } from './execution-figure.ts';
import { executionCountsQuery, workflowListQuery } from './queries.ts';
import { useDuplicate } from './use-duplicate.ts';
import { WorkflowBadge } from './workflow-badge.tsx';
import { CreateWorkflowDialog, DeleteWorkflowDialog } from './workflow-dialogs.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/workflows');
type Workflow = Schema<'Workflow'>;
type Counts = Schema<'ExecutionCounts'>;
/** Executions of each workflow are counted up to this number; higher counts are estimates. */
const mostCounted = 10_000;

export function WorkflowListPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const query = useQuery(workflowListQuery(search));
  const create = (
    <Button look="primary" onPress={() => setIsCreating(true)}>
      New workflow
    </Button>
  );
  return (
    <Page
      title="Workflows"
      description="Steps that a contact goes through, starting with an event."
      actions={create}
      toolbar={
        <ListSearch
          label="Search workflows"
          value={search.search}
          onChange={(text) => void navigate({ search: { search: text }, replace: true })}
        />
      }
    >
      <Loaded query={query}>
        {({ data, page, totalPages }) =>
          data.length === 0 ? (
            page > 1 ? (
              <PastLastPage onFirst={() => void navigate({ search: { ...search, page: undefined } })} />
            ) : (
              <NoWorkflows isFiltered={search.search !== undefined} />
            )
          ) : (
            <>
              <WorkflowTable workflows={data} />
              <Pager
                page={page}
                totalPages={totalPages}
                onPage={(chosen) => void navigate({ search: { ...search, page: chosen } })}
              />
            </>
          )
        }
      </Loaded>
      <CreateWorkflowDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </Page>
  );
}

function NoWorkflows({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No workflow matches">Change the search.</EmptyState>;
  return (
    <EmptyState title="No workflow yet">
      Choose the event that starts it, such as a sign-up, and add the emails, waits and conditions that
      follow.
    </EmptyState>
  );
}

const workflowPage = '/projects/$projectId/workflows/$workflowId';

function Name({ workflow: { id, name, description } }: { workflow: Workflow }) {
  const projectId = useProjectId();
  return (
    <>
      <RowLink to={workflowPage} params={{ projectId, workflowId: id }}>
        {name}
      </RowLink>
      {description && <span className="block truncate text-sm text-muted">{description}</span>}
    </>
  );
}

function WorkflowTable({ workflows }: { workflows: Workflow[] }) {
  const projectId = useProjectId();
  const navigate = route.useNavigate();
  const duplicate = useDuplicate();
  const [deleted, setDeleted] = useState<Workflow | null>(null);
  const counts = useQuery(executionCountsQuery(workflows.map(({ id }) => id)));
  const countsOf = new Map(counts.data?.data.map((one) => [one.workflowId, one]));
  const columns: Column<Workflow>[] = [
    {
      header: 'Workflow',
      className: 'w-full max-w-0 md:w-1/2',
      cell: (workflow) => <Name workflow={workflow} />,
    },
    { header: 'Status', cell: ({ enabled }) => <WorkflowBadge enabled={enabled} /> },
    {
      header: 'Starts with',
      isSecondary: true,
      className: 'w-1/3 max-w-0',
      cell: ({ triggerConfig: { eventName } }) => (
        <code title={eventName} className="block truncate font-mono text-xs">
          {eventName}
        </code>
      ),
    },
    {
      header: 'Under way',
      align: 'right',
      isSecondary: true,
      cell: ({ id }) => <Executions of="active" counts={countsOf.get(id)} />,
    },
    {
      header: 'Entered',
      align: 'right',
      isSecondary: true,
      cell: ({ id }) => <Executions of="total" counts={countsOf.get(id)} />,
    },
    { header: 'Failed', align: 'right', cell: ({ id }) => <Failed id={id} counts={countsOf.get(id)} /> },
    {
      header: 'Changed',
      align: 'right',
      isSecondary: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      className: 'w-10',
      cell: (workflow) => (
        <Menu
          label={`Actions for ${workflow.name}`}
          actions={[
            { label: 'Duplicate', onAction: () => duplicate(workflow.id) },
            { label: 'Delete …', onAction: () => setDeleted(workflow), isDangerous: true },
          ]}
        />
      ),
    },
  ];
  return (
    <>
      <Table
        label="Workflows"
        rows={workflows}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: workflowPage, params: { projectId, workflowId: id } })}
      />
      {deleted && <DeleteWorkflowDialog workflow={deleted} isOpen onClose={() => setDeleted(null)} />}
    </>
  );
}

function Executions({ of, counts }: { of: 'active' | 'total'; counts: Counts | undefined }) {
  if (counts === undefined) return <span className="text-faint">–</span>;
  return executionFigure(counts[of], counts.totalAccuracy, mostCounted);
}

/** Leads to those that failed: nobody else hears of them. */
function Failed({ id, counts }: { id: string; counts: Counts | undefined }) {
  const projectId = useProjectId();
  if (!counts?.failed) return <span className="text-faint">–</span>;
  return (
    <TextLink
      to={workflowPage}
      params={{ projectId, workflowId: id }}
      search={{ view: 'executions', status: 'FAILED' }}
    >
      {executionFigure(counts.failed, counts.totalAccuracy, mostCounted)}
      <span className="sr-only"> failed</span>
    </TextLink>
  );
}
