import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { byCursor, onFirstPage } from '../../api/by-cursor.ts';
import { $api, type Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, IconButton, RowLink } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { CancelAllDialog, CancelExecutionDialog } from './cancel-dialogs.tsx';
import { ContactBox } from './contact-box.tsx';
import { ExecutionBadge } from './execution-badge.tsx';
import { executionFigure } from './execution-figure.ts';
import { type ExecutionStatus, executionStatuses, isUnderWay, statusLooks } from './execution-status.ts';
import { statisticsQuery } from './queries.ts';
import { RetryFailedDialog } from './retry-executions.tsx';
import { StartExecutionDialog } from './start-execution-dialog.tsx';
import { deletedSteps, StepFilter, type StepsToFilter } from './step-filter.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');
type Execution = Schema<'WorkflowExecution'>;
type Step = Schema<'WorkflowStep'>;
/** Of the first page and of the figures, so that they agree. */
const refetchInterval = 10_000;

export function ExecutionList({ workflow }: { workflow: Schema<'WorkflowWithGraph'> }) {
  const { status, contact, at } = route.useSearch();
  const email = useDebounced(contact);
  const isFiltered = status !== undefined || at !== undefined || Boolean(contact);
  const query = $api.useInfiniteQuery(
    'get',
    '/workflows/{id}/executions',
    {
      params: {
        path: { id: workflow.id },
        query: { ...(status && { status }), ...(email && { email }), stepId: at, pageSize: 50 },
      },
    },
    { ...byCursor, refetchInterval: onFirstPage(refetchInterval) },
  );
  return (
    <div className="flex flex-col gap-4">
      <ExecutionToolbar
        workflowId={workflow.id}
        steps={workflow.steps}
        deleted={deletedSteps(workflow.steps, query.data?.pages.flatMap(({ data }) => data) ?? [])}
      />
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          <EmptyState title={isFiltered ? 'Nothing matches' : 'Nobody has entered yet'}>
            {isFiltered
              ? 'Change the status or the step, or choose another contact.'
              : `Contacts enter when “${workflow.triggerConfig.eventName}” happens to them, or when you start it for one.`}
          </EmptyState>
        }
      >
        {(executions) => <ExecutionTable executions={executions} steps={workflow.steps} />}
      </Pages>
    </div>
  );
}

/** The filter with the number of executions in each status, and what can be done to all. */
function ExecutionToolbar({ workflowId, ...known }: StepsToFilter & { workflowId: string }) {
  const { contact, at } = route.useSearch();
  const [dialog, setDialog] = useState<'start' | 'cancel-all' | 'retry-failed' | null>(null);
  const close = () => setDialog(null);
  const { data: statistics } = useQuery({ ...statisticsQuery(workflowId), refetchInterval });
  const figures = statistics?.executions;
  const shown = (figure: number | undefined) =>
    figure === undefined ? '' : executionFigure(figure, statistics?.totalAccuracy ?? 'exact');
  const isNarrowed = Boolean(contact) || at !== undefined;
  const underWay = (figures?.RUNNING ?? 0) + (figures?.WAITING ?? 0);
  const failed = figures?.FAILED ?? 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {/* The figures are those of the whole workflow. */}
      <StatusFilter figureOf={(key) => (isNarrowed ? '' : shown(figures?.[key]))} />
      <StepFilter {...known} />
      <ContactFilter />
      <div className="flex-1" />
      {/* Not beside the executions of one contact or step, where “all” would seem to mean those. */}
      {underWay > 0 && !isNarrowed && (
        <Button look="danger" onPress={() => setDialog('cancel-all')}>
          Cancel all {shown(underWay)}
        </Button>
      )}
      {failed > 0 && !isNarrowed && (
        <Button onPress={() => setDialog('retry-failed')}>Retry failed {shown(failed)}</Button>
      )}
      <Button onPress={() => setDialog('start')}>Start for a contact</Button>
      <StartExecutionDialog workflowId={workflowId} isOpen={dialog === 'start'} onClose={close} />
      <CancelAllDialog workflowId={workflowId} isOpen={dialog === 'cancel-all'} onClose={close} />
      <RetryFailedDialog workflowId={workflowId} isOpen={dialog === 'retry-failed'} onClose={close} />
    </div>
  );
}

interface StatusFilterProps {
  /** How many executions have the status; empty until it is known. */
  figureOf: (status: ExecutionStatus | 'total') => string;
}

function StatusFilter({ figureOf }: StatusFilterProps) {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const label = (text: string, figure: string) => (figure === '' ? text : `${text} (${figure})`);
  return (
    <ChoiceFilter
      label="Status"
      every={label('All statuses', figureOf('total'))}
      options={executionStatuses.map((one) => ({
        value: one,
        label: label(statusLooks[one].label, figureOf(one)),
      }))}
      value={status}
      onChange={(chosen) => void navigate({ search: (before) => ({ ...before, status: chosen }) })}
      className="w-52"
    />
  );
}

function ContactFilter() {
  const { contact = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ContactBox
      label="Find an address"
      isLabelHidden
      placeholder="Find an address"
      value={contact}
      onChange={(email) =>
        void navigate({ search: (before) => ({ ...before, contact: email || undefined }), replace: true })
      }
      className="w-64"
    />
  );
}

interface ExecutionTableProps {
  executions: Execution[];
  steps: readonly Step[];
}

function ExecutionTable({ executions, steps }: ExecutionTableProps) {
  const projectId = useProjectId();
  const navigate = route.useNavigate();
  const [cancelled, setCancelled] = useState<Execution | null>(null);
  const pageOf = ({ id, workflowId }: Execution) => ({
    to: '/projects/$projectId/workflows/$workflowId/executions/$executionId' as const,
    params: { projectId, workflowId, executionId: id },
    search: {},
  });
  const columns: Column<Execution>[] = [
    {
      header: 'Contact',
      className: 'w-full max-w-0 truncate md:w-1/3',
      cell: (execution) => (
        <RowLink {...pageOf(execution)}>{execution.contactEmail ?? 'Deleted contact'}</RowLink>
      ),
    },
    { header: 'Status', cell: ({ status }) => <ExecutionBadge status={status} /> },
    {
      header: 'Step',
      isSecondary: true,
      className: 'w-1/2 max-w-0 truncate text-muted',
      cell: (execution) => <WhereItIs execution={execution} steps={steps} />,
    },
    { header: 'Version', align: 'right', isSecondary: true, cell: ({ version }) => version },
    {
      header: 'Entered',
      align: 'right',
      isSecondary: true,
      cell: ({ startedAt }) => <Time at={startedAt} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      className: 'w-10',
      cell: (execution) =>
        isUnderWay(execution.status) && (
          <IconButton
            label={`Cancel the execution of ${execution.contactEmail ?? 'a deleted contact'}`}
            onPress={() => setCancelled(execution)}
          >
            <CircleStop className="size-4" />
          </IconButton>
        ),
    },
  ];
  return (
    <>
      <Table
        label="Executions"
        rows={executions}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={(execution) => void navigate(pageOf(execution))}
      />
      {cancelled && <CancelExecutionDialog execution={cancelled} isOpen onClose={() => setCancelled(null)} />}
    </>
  );
}

function WhereItIs({ execution, steps }: { execution: Execution; steps: ExecutionTableProps['steps'] }) {
  const { status, currentStepId, resumeAt, exitReason, error } = execution;
  if (status === 'FAILED') return error;
  const step = steps.find(({ id }) => id === currentStepId);
  const name = step?.name ?? (currentStepId !== null && 'Deleted step');
  if (status === 'EXITED') return exitReason ?? name;
  return (
    <>
      {name}
      {status === 'WAITING' && resumeAt !== null && (
        <>
          , until <Time at={resumeAt} form="exact" />
        </>
      )}
    </>
  );
}
