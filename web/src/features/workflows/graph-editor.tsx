import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { ifMatch } from '../../api/if-match.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { say } from '../../ui/toast.tsx';
import { FaultNote } from './fault-note.tsx';
import { canSplice, type Step, shownFaults } from './graph/graph.ts';
import { stepWords } from './graph/step-words.ts';
import { editGraph, useGraphEdits } from './graph-edits.ts';
import { type GraphView, GraphViewProvider, useGraphView } from './graph-view.ts';
import { GraphCanvas } from './lazy-graph-canvas.ts';
import { GraphOutline } from './outline.tsx';
import { statisticsQuery } from './queries.ts';
import { StepPanel } from './step-panel.tsx';
import { useNames } from './use-names.ts';

type Workflow = Schema<'WorkflowWithGraph'>;

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');

interface GraphEditorProps {
  workflow: Workflow;
  form: 'canvas' | 'outline';
}

export function GraphEditor({ workflow, form }: GraphEditorProps) {
  const { step: openId } = route.useSearch();
  const [removed, setRemoved] = useState<Step | null>(null);
  const view = useEditorView(workflow, form, setRemoved);
  const opened = useOpened(
    workflow.steps.find(({ id }) => id === openId),
    openId,
  );
  return (
    <GraphViewProvider value={view.shown}>
      <div className="flex flex-col gap-4">
        <FaultNote workflow={workflow} />
        {workflow.enabled && workflow.faults.length === 0 && (
          <p className="text-sm text-muted">
            A change applies to contacts who enter from then on. Contacts already in the workflow follow the
            version that they entered.
          </p>
        )}
        {view.countedOf !== undefined && (
          <p className="text-sm text-muted">
            The counts at the steps cover the newest {count(view.countedOf)} executions.
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
      {opened && (
        <StepPanel
          workflowId={workflow.id}
          step={opened}
          onLeave={view.leave}
          onDone={() => view.navigate(undefined)}
        />
      )}
      {removed && (
        <RemoveStepDialog
          workflow={workflow}
          step={removed}
          onClose={() => setRemoved(null)}
          onRemoved={() => view.navigate(undefined)}
        />
      )}
    </GraphViewProvider>
  );
}

/** Keeps a step that someone else has removed, because its form holds input that is not saved. */
function useOpened(found: Step | undefined, openId: string | undefined): Step | undefined {
  const [last, setLast] = useState(found);
  if (found !== undefined && found !== last) setLast(found);
  return found ?? (last?.id === openId ? last : undefined);
}

interface EditorView {
  shown: GraphView;
  navigate: (stepId: string | undefined) => void;
  /** Closes the step, unless the user keeps unsaved input in its form. */
  leave: () => void;
  /** How many executions the step counts cover, if there are more. */
  countedOf: number | undefined;
}

function useEditorView(
  workflow: Workflow,
  form: GraphEditorProps['form'],
  askToRemove: (step: Step) => void,
): EditorView {
  const navigateRoute = route.useNavigate();
  const names = useNames(workflow.steps);
  const { step: openId } = route.useSearch();
  const open = (step: string | undefined, ignoreBlocker: boolean) =>
    void navigateRoute({
      // With the view: its default depends on the width of the window, and another view would drop unsaved input.
      search: (before) => ({ ...before, view: form, step }),
      replace: step === undefined,
      ignoreBlocker,
    }).then(() => step === undefined && focusNode(openId));
  const navigate = (step: string | undefined) => open(step, true);
  const edits = useGraphEdits(workflow, navigate);
  const { data: statistics } = useQuery({ ...statisticsQuery(workflow.id), refetchInterval: 15_000 });
  const { isBusy } = edits;
  // biome-ignore lint/correctness/useExhaustiveDependencies: its functions change with each render, but not what they do
  const shown = useMemo((): GraphView => {
    // Don't show zeros in a draft that nobody has entered.
    const hasFigures = workflow.enabled || (statistics?.executions.total ?? 0) > 0;
    const figures = new Map(statistics?.steps.map((step) => [step.stepId, step]));
    return {
      graph: workflow,
      words: (step) => stepWords(step, names),
      faults: shownFaults(workflow),
      figuresOf: (id) => figures.get(id),
      hasFigures,
      path: null,
      currentStepId: null,
      onOpen: navigate,
      onRemove: askToRemove,
      edits,
    };
  }, [workflow, names, statistics, isBusy]);
  const hasMore = statistics !== undefined && (statistics.executions.total ?? 0) > statistics.stepsOf;
  return {
    shown,
    navigate,
    leave: () => open(undefined, false),
    countedOf: hasMore ? statistics.stepsOf : undefined,
  };
}

/** Focuses the step whose form has closed, because the menu that added it is gone. */
const focusNode = (id: string | undefined) =>
  document.querySelector<HTMLElement>(`[data-node="${id}"] button`)?.focus({ preventScroll: true });

async function removeStep(workflow: Workflow, { id, name }: Step, splice: boolean): Promise<void> {
  const params = {
    path: { id: workflow.id, stepId: id },
    query: { splice: splice ? 'true' : 'false' },
    header: ifMatch(workflow),
  } as const;
  await editGraph(() => api.DELETE('/workflows/{id}/steps/{stepId}', { params }));
  say(`“${name}” is removed`);
}

interface RemoveStepDialogProps {
  workflow: Workflow;
  step: Step;
  onClose: () => void;
  onRemoved: () => void;
}

function RemoveStepDialog({ workflow, step, onClose, onRemoved }: RemoveStepDialogProps) {
  const isSpliced = canSplice(workflow, step.id);
  const inStep = useGraphView().figuresOf(step.id)?.waiting ?? 0;
  return (
    <ConfirmDialog
      title="Remove the step"
      action="Remove"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await removeStep(workflow, step, isSpliced);
        onRemoved();
      }}
    >
      <p>
        {isSpliced
          ? `“${step.name}” and its settings are deleted. The steps around it stay connected. This can’t be undone.`
          : `“${step.name}” and its settings are deleted, which can’t be undone. Different steps follow it. They stay, but nothing leads to them until you connect them again.`}
      </p>
      {inStep > 0 && (
        <p className="mt-2">
          {quantity(inStep, 'contact waits', 'contacts wait')} in it now, and will still go through it.
        </p>
      )}
    </ConfirmDialog>
  );
}
