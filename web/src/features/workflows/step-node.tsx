import { Trash2, TriangleAlert } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { count, quantity } from '../../ui/numbers.ts';
import { faultText, isWrong, type Step } from './graph/graph.ts';
import { type GraphView, useGraphView } from './graph-view.ts';
import { stepTypes } from './step-types.ts';

const shownFaults = 2;
const rowHeight = 20;

/** Height in pixels for the layout: the rows of the node and its padding. */
export function nodeHeight(step: Step, { faults, hasFigures }: GraphView): number {
  const own = faults.filter(({ stepId }) => stepId === step.id).length;
  const rows = 2 + Math.min(own, shownFaults) + (hasFigures ? 1 : 0);
  return rows * rowHeight + 22;
}

/** A step on the canvas; pressing it opens its form. */
export function StepNode({ step }: { step: Step }) {
  const { words, faults, path, currentStepId, onOpen, onRemove, edits } = useGraphView();
  const { icon: Icon, title } = stepTypes[step.type];
  const own = faults.filter(({ stepId }) => stepId === step.id);
  const isPassed = path?.steps.has(step.id) ?? false;
  return (
    <div
      data-node={step.id}
      className={classNames(
        'pointer-events-auto relative h-full rounded-lg border bg-raised',
        own.some(isWrong) ? 'border-bad' : isPassed ? 'border-accent' : 'border-line-strong',
        currentStepId === step.id && 'ring-2 ring-accent',
        path !== null && !isPassed && 'bg-sunken',
      )}
    >
      <AriaButton
        onPress={() => onOpen(step.id)}
        className="nopan flex size-full flex-col rounded-lg px-3 py-2.5 text-left text-sm leading-5 hover:bg-hover"
      >
        <span className="flex w-full min-w-0 items-center gap-2 pr-6">
          <Icon
            aria-hidden
            className={classNames('size-4 shrink-0', isPassed ? 'text-accent-text' : 'text-muted')}
          />
          <span className="truncate font-medium">{step.name}</span>
          <span className="sr-only">({title})</span>
        </span>
        <span className="block w-full truncate text-muted">{words(step) || title}</span>
        <Figures stepId={step.id} />
        {own.slice(0, own.length > shownFaults ? shownFaults - 1 : shownFaults).map((fault) => (
          <span
            key={fault.message}
            className={classNames(
              'flex w-full items-center gap-1',
              isWrong(fault) ? 'text-bad' : 'text-warn',
            )}
          >
            <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate">{faultText(fault, step)}</span>
          </span>
        ))}
        {own.length > shownFaults && (
          <span className="text-bad">and {quantity(own.length - shownFaults + 1, 'more problem')}</span>
        )}
      </AriaButton>
      {edits !== null && step.type !== 'TRIGGER' && (
        <IconButton
          label={`Remove ${step.name}`}
          className="nopan absolute top-1.5 right-1.5 size-7"
          isPending={edits.isBusy}
          onPress={() => onRemove(step)}
        >
          <Trash2 className="size-3.5" />
        </IconButton>
      )}
    </div>
  );
}

/** How many executions have entered a step, and how many are in it now. */
export function Figures({ stepId }: { stepId: string }) {
  const { hasFigures, figuresOf } = useGraphView();
  const figures = figuresOf(stepId);
  if (!hasFigures) return null;
  if (figures === undefined) return <span aria-hidden className="h-5" />;
  return (
    <span data-numeric className="flex gap-2 text-xs leading-5 text-muted">
      <span>{count(figures.entered)} entered</span>
      {figures.waiting > 0 && <span className="text-warn">{count(figures.waiting)} waiting now</span>}
      {figures.failed > 0 && <span className="text-bad">{count(figures.failed)} failed</span>}
    </span>
  );
}
