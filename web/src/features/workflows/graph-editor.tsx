import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { count } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { FaultNote } from './fault-note.tsx';
import { canSplice, type Step } from './graph/graph.ts';
import { statisticsQuery } from './graph/queries.ts';
import { stepWords } from './graph/step-words.ts';
import { useNames } from './graph/use-names.ts';
import { useGraphEdits } from './graph-edits.ts';
import { type GraphView, GraphViewProvider } from './graph-view.ts';
import { GraphCanvas } from './lazy-graph-canvas.ts';
import { GraphOutline } from './outline.tsx';
import { StepPanel } from './step-panel.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');

interface GraphEditorProps {
  workflow: Schema<'WorkflowWithGraph'>;
  form: 'canvas' | 'outline';
}

export function GraphEditor({ workflow, form }: GraphEditorProps) {
  const { step: openId } = route.useSearch();
  const [removed, setRemoved] = useState<Step | null>(null);
  const view = useEditorView(workflow, setRemoved);
  const open = (step: string | undefined) => view.navigate(step);
  const opened = workflow.steps.find(({ id }) => id === openId);
  return (
    <GraphViewProvider value={view.shown}>
      <div className="flex flex-col gap-4">
        <FaultNote workflow={workflow} />
        {view.countedOf !== undefined && (
          <p className="text-sm text-muted">
            The counts at the steps are of the newest {count(view.countedOf)} executions.
          </p>
        )}
        {form === 'outline' ? (
          <GraphOutline />
        ) : (
          <Suspense fallback={<Skeleton className="h-112 w-full" />}>
            <GraphCanvas />
          </Suspense>
        )}
      </div>
      {opened && <StepPanel workflowId={workflow.id} step={opened} onClose={() => open(undefined)} />}
      {removed && (
        <RemoveForkDialog
          workflowId={workflow.id}
          step={removed}
          onClose={() => setRemoved(null)}
          onRemoved={() => open(undefined)}
        />
      )}
    </GraphViewProvider>
  );
}

interface EditorView {
  shown: GraphView;
  navigate: (stepId: string | undefined) => void;
  /** Executions whose steps are counted, when there are more. */
  countedOf: number | undefined;
}

function useEditorView(workflow: Schema<'WorkflowWithGraph'>, askToRemove: (step: Step) => void): EditorView {
  const navigateRoute = route.useNavigate();
  const names = useNames();
  const navigate = (step: string | undefined) =>
    void navigateRoute({ search: (before) => ({ ...before, step }), replace: step === undefined });
  const edits = useGraphEdits(workflow.id, navigate);
  const { data: statistics } = useQuery({ ...statisticsQuery(workflow.id), refetchInterval: 15_000 });
  const { isBusy } = edits;
  // biome-ignore lint/correctness/useExhaustiveDependencies: its functions change with each render, but not what they do
  const shown = useMemo((): GraphView => {
    // Hides zeros.
    const hasEntered = (statistics?.executions.total ?? 0) > 0;
    const figures = new Map((hasEntered ? statistics?.steps : [])?.map((step) => [step.stepId, step]));
    return {
      graph: workflow,
      words: (step) => stepWords(step, names),
      faults: workflow.faults,
      figuresOf: (id) => figures.get(id),
      path: null,
      currentStepId: null,
      onOpen: navigate,
      onRemove: (step) => {
        if (!canSplice(workflow, step.id)) return askToRemove(step);
        void removeStep(workflow.id, step, true).then(() => navigate(undefined), sayError);
      },
      edits,
    };
  }, [workflow, names, statistics, isBusy]);
  const hasMore = statistics !== undefined && (statistics.executions.total ?? 0) > statistics.stepsOf;
  return { shown, navigate, countedOf: hasMore ? statistics.stepsOf : undefined };
}

async function removeStep(workflowId: string, { id, name }: Step, splice: boolean): Promise<void> {
  await api.DELETE('/workflows/{id}/steps/{stepId}', {
    params: { path: { id: workflowId, stepId: id }, query: { splice: splice ? 'true' : 'false' } },
  });
  await refresh('/workflows');
  say(`“${name}” is removed`);
}

interface RemoveForkDialogProps {
  workflowId: string;
  step: Step;
  onClose: () => void;
  onRemoved: () => void;
}

function RemoveForkDialog({ workflowId, step, onClose, onRemoved }: RemoveForkDialogProps) {
  return (
    <ConfirmDialog
      title="Remove the step"
      action="Remove"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await removeStep(workflowId, step, false);
        onRemoved();
      }}
    >
      Different steps follow “{step.name}”. They stay, but nothing leads to them until you connect them again.
    </ConfirmDialog>
  );
}
