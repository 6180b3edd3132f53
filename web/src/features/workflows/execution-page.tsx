import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CancelExecutionDialog } from './cancel-dialogs.tsx';
import { ExecutionBadge } from './execution-badge.tsx';
import { ExecutionFacts } from './execution-facts.tsx';
import { isUnderWay } from './execution-status.ts';
import { type Fault, pathOf } from './graph/graph.ts';
import { stepWords } from './graph/step-words.ts';
import { type GraphView, GraphViewProvider } from './graph-view.ts';
import { GraphCanvas } from './lazy-graph-canvas.ts';
import { GraphOutline } from './outline.tsx';
import { executionQuery, workflowQuery } from './queries.ts';
import { RetryButton } from './retry-executions.tsx';
import { StepRuns } from './step-runs.tsx';
import { useDefaultView } from './use-default-view.ts';
import { useNames } from './use-names.ts';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId/executions/$executionId');

export function ExecutionPage() {
  const projectId = useProjectId();
  const { workflowId, executionId } = route.useParams();
  const [isCancelling, setIsCancelling] = useState(false);
  const query = useQuery({
    ...executionQuery(workflowId, executionId),
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status !== undefined && isUnderWay(status) ? (status === 'RUNNING' ? 2_000 : 5_000) : false;
    },
  });
  const workflow = useQuery(workflowQuery(workflowId));
  const execution = query.data;
  return (
    <Page
      title={execution?.contactEmail ?? 'Execution'}
      badge={execution && <ExecutionBadge status={execution.status} />}
      description={workflow.data && `In the workflow “${workflow.data.name}”`}
      back={{
        label: 'Executions',
        to: '/projects/$projectId/workflows/$workflowId',
        params: { projectId, workflowId },
        search: { view: 'executions' },
      }}
      actions={
        execution && (
          <>
            {execution.status === 'FAILED' && <RetryButton execution={execution} />}
            {isUnderWay(execution.status) && (
              <Button look="danger" onPress={() => setIsCancelling(true)}>
                Cancel
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <>
            <ExecutionFacts execution={loaded} />
            <Loaded query={workflow}>{(graph) => <LitGraph workflow={graph} execution={loaded} />}</Loaded>
            <Section title="Steps so far">
              <StepRuns execution={loaded} />
            </Section>
            <CancelExecutionDialog
              execution={loaded}
              isOpen={isCancelling}
              onClose={() => setIsCancelling(false)}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The error of a failed execution, at the step that it ended with. */
function failureOf({ status, steps }: Schema<'WorkflowExecutionWithSteps'>): Fault[] {
  const last = status === 'FAILED' ? steps.findLast(({ error }) => error !== null) : undefined;
  return last ? [{ stepId: last.stepId, code: 'FAILED', message: last.error ?? '' }] : [];
}

interface LitGraphProps {
  workflow: Schema<'WorkflowWithGraph'>;
  execution: Schema<'WorkflowExecutionWithSteps'>;
}

function LitGraph({ workflow, execution }: LitGraphProps) {
  const names = useNames(workflow.steps);
  const form = useDefaultView();
  const view = useMemo(
    (): GraphView => ({
      graph: workflow,
      words: (step) => stepWords(step, names),
      faults: failureOf(execution),
      figuresOf: () => undefined,
      hasFigures: false,
      path: pathOf(workflow, execution.steps),
      currentStepId: isUnderWay(execution.status) ? execution.currentStepId : null,
      onOpen: (id) =>
        document
          .querySelector(`[data-step="${id}"]`)
          ?.scrollIntoView({ block: 'center', behavior: 'smooth' }),
      onRemove: () => {},
      edits: null,
    }),
    [workflow, execution, names],
  );
  return (
    <Section
      title="Path taken"
      description={
        execution.version !== workflow.version &&
        `This contact follows version ${execution.version} of the graph. The graph shows version ${workflow.version}, so steps changed since may differ.`
      }
    >
      <GraphViewProvider value={view}>
        {form === 'outline' ? (
          <GraphOutline />
        ) : (
          <Suspense fallback={<Skeleton className="h-112 w-full" />}>
            <GraphCanvas />
          </Suspense>
        )}
      </GraphViewProvider>
    </Section>
  );
}
