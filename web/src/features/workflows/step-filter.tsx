import { getRouteApi } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');
type Step = Schema<'WorkflowStep'>;

/** Ids of the steps that executions are in although the workflow no longer has them. */
export const deletedSteps = (
  steps: readonly Step[],
  executions: readonly Schema<'WorkflowExecution'>[],
): string[] => {
  const ids = new Set(executions.flatMap(({ currentStepId }) => currentStepId ?? []));
  return [...ids].filter((id) => !steps.some((step) => step.id === id));
};

export interface StepsToFilter {
  steps: readonly Step[];
  /** Ids. */
  deleted: readonly string[];
}

/** Executions that are in a step, or ended there. */
export function StepFilter({ steps, deleted }: StepsToFilter) {
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const present = steps.filter(({ type }) => type !== 'TRIGGER');
  const isUnknown = at !== undefined && !present.some(({ id }) => id === at);
  const options = [
    ...present.map(({ id, name }) => ({ value: id, label: name })),
    ...[...new Set(isUnknown ? [at, ...deleted] : deleted)].map((id, index) => ({
      value: id,
      label: index === 0 ? 'Deleted step' : `Deleted step ${index + 1}`,
    })),
  ];
  if (options.length === 0) return null;
  return (
    <ChoiceFilter
      label="Step"
      every="All steps"
      options={options}
      value={at}
      onChange={(chosen) => void navigate({ search: (before) => ({ ...before, at: chosen }) })}
      className="w-52"
    />
  );
}
