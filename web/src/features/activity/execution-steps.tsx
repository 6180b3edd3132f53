import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Loaded } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';

interface ExecutionStepsProps {
  workflowId: string;
  executionId: string;
}

/** The steps that a contact has taken in an execution; loaded when opened. */
export function ExecutionSteps({ workflowId, executionId }: ExecutionStepsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const path = { id: workflowId, executionId };
  const query = $api.useQuery(
    'get',
    '/workflows/{id}/executions/{executionId}',
    { params: { path } },
    { enabled: isOpen },
  );
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-sm text-muted">Steps</summary>
      {isOpen && <Loaded query={query}>{(execution) => <Steps execution={execution} />}</Loaded>}
    </details>
  );
}

function Steps({ execution }: { execution: Schema<'WorkflowExecutionWithSteps'> }) {
  const { steps, status } = execution;
  const isUnderWay = status === 'RUNNING' || status === 'WAITING';
  // Only a cancel ends an execution without ending its step.
  const open = isUnderWay ? 'under way' : 'cancelled';
  if (steps.length === 0) return <p className="text-sm text-muted">{isUnderWay ? 'None yet.' : 'None.'}</p>;
  return (
    <ol className="mt-1 flex flex-col gap-1 text-sm">
      {steps.map(({ visit, name, startedAt, completedAt, error }) => {
        const state = error !== null ? 'failed' : completedAt === null ? open : undefined;
        return (
          <li key={visit} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">
              {name ?? 'Deleted step'}
              {state !== undefined && <span className="text-muted"> · {state}</span>}
            </span>
            <span className="text-muted">
              <Time at={startedAt} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
