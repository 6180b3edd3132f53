import { CornerDownRight, Trash2, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { IconButton } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import {
  branchWords,
  faultText,
  isWrong,
  type Outline,
  type OutlineItem,
  outlineOf,
  type Step,
} from './graph/graph.ts';
import { useGraphView } from './graph-view.ts';
import { Figures } from './step-node.tsx';
import { stepTypes } from './step-types.ts';
import { EndMenu, TransitionMenu } from './transition-menus.tsx';

/** The graph as an ordered list, with all actions of the canvas. */
export function GraphOutline() {
  const { graph } = useGraphView();
  const outline = useMemo(() => outlineOf(graph), [graph]);
  return (
    <div className="flex flex-col gap-6">
      <Items items={outline.items} outline={outline} label="Steps" />
      {outline.loose.map((items, at) => (
        <section key={items[0]?.kind === 'step' ? items[0].step.id : at} className="flex flex-col gap-2">
          <h2 className="font-semibold">Not connected</h2>
          <Items items={items} outline={outline} label="Steps that are not connected" />
        </section>
      ))}
    </div>
  );
}

interface ItemsProps {
  items: readonly OutlineItem[];
  outline: Outline;
  label: string;
}

function Items({ items, outline, label }: ItemsProps) {
  return (
    <ol aria-label={label} className="flex min-w-0 flex-col gap-2">
      {items.map((item) => (
        <Item key={keyOf(item)} item={item} outline={outline} />
      ))}
    </ol>
  );
}

function keyOf(item: OutlineItem): string {
  if (item.kind === 'step') return item.step.id;
  return item.kind === 'jump' ? item.transition.id : `end ${item.end.branch ?? ''}`;
}

function Item({ item, outline }: { item: OutlineItem; outline: Outline }) {
  const { edits, onOpen } = useGraphView();
  if (item.kind === 'end') {
    return edits === null ? null : (
      <li>
        <EndMenu end={item.end} />
      </li>
    );
  }
  if (item.kind === 'jump') {
    return (
      <li className="flex items-center gap-2 text-sm text-muted">
        <CornerDownRight aria-hidden className="size-4 shrink-0" />
        <AriaButton
          className="text-left text-accent-text underline-offset-2 hover:underline"
          onPress={() => onOpen(item.to.id)}
        >
          Continues at {outline.numberOf.get(item.to.id)}. {item.to.name}
        </AriaButton>
        <TransitionMenu transition={item.transition} />
      </li>
    );
  }
  const { step, transition, forks } = item;
  return (
    <li className="flex min-w-0 flex-col gap-2">
      {transition && edits !== null && (
        <div className="pl-2">
          <TransitionMenu transition={transition} />
        </div>
      )}
      <StepRow step={step} number={outline.numberOf.get(step.id) ?? 0} />
      {forks.length > 0 && (
        <ul className="flex flex-col gap-3 pl-3 sm:pl-5">
          {forks.map(({ branch, items }) => (
            <li key={branch} className="flex min-w-0 flex-col gap-2 border-l-2 border-line pl-3">
              <span className="text-xs font-medium text-muted">{branchWords[branch]}</span>
              <Items items={items} outline={outline} label={`${step.name}: ${branchWords[branch]}`} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function StepRow({ step, number }: { step: Step; number: number }) {
  const { words, faults, path, currentStepId, onOpen, onRemove, edits } = useGraphView();
  const { icon: Icon, title } = stepTypes[step.type];
  const own = faults.filter(({ stepId }) => stepId === step.id);
  const isPassed = path?.steps.has(step.id) ?? false;
  return (
    <div
      data-node={step.id}
      className={classNames(
        'flex min-w-0 items-start rounded-lg border bg-raised',
        own.some(isWrong) ? 'border-bad' : isPassed ? 'border-accent' : 'border-line',
        currentStepId === step.id && 'ring-2 ring-accent',
      )}
    >
      <AriaButton
        onPress={() => onOpen(step.id)}
        className="flex min-w-0 flex-1 flex-col rounded-lg px-3 py-2 text-left text-sm hover:bg-hover"
      >
        <span className="flex w-full min-w-0 items-center gap-2">
          <Icon
            aria-hidden
            className={classNames('size-4 shrink-0', isPassed ? 'text-accent-text' : 'text-muted')}
          />
          <span className="min-w-0 truncate font-medium">
            {number}. {step.name}
          </span>
          <span className="sr-only">({title})</span>
        </span>
        <span className="text-muted">{words(step) || title}</span>
        <Figures stepId={step.id} />
        {own.map((fault) => (
          <span
            key={fault.message}
            className={classNames('flex items-start gap-1', isWrong(fault) ? 'text-bad' : 'text-warn')}
          >
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            {faultText(fault, step)}
          </span>
        ))}
      </AriaButton>
      {edits !== null && step.type !== 'TRIGGER' && (
        <IconButton
          label={`Remove ${step.name}`}
          isPending={edits.isBusy}
          className="m-1"
          onPress={() => onRemove(step)}
        >
          <Trash2 className="size-3.5" />
        </IconButton>
      )}
    </div>
  );
}
