import type { Branch, Transition } from './graph.ts';
import { branchesOf } from './graph-faults.ts';
import type { StepType } from './step-config.ts';

/**
 * Transitions that connect the predecessors of a removed step to its successor, one per incoming transition.
 *
 * @returns an empty array when nothing follows; undefined when different steps follow
 */
export function spliced(
  transitions: readonly Transition[],
  stepId: string,
): Omit<Transition, 'id'>[] | undefined {
  const targets = new Set(
    transitions
      .filter((transition) => transition.fromStepId === stepId && transition.toStepId !== stepId)
      .map(({ toStepId }) => toStepId),
  );
  if (targets.size > 1) return undefined;
  const [toStepId] = targets;
  if (toStepId === undefined) return [];
  return transitions
    .filter((transition) => transition.toStepId === stepId && transition.fromStepId !== stepId)
    .map(({ fromStepId, branch }) => ({ fromStepId, toStepId, branch }));
}

export function isFree(taken: readonly (Branch | null)[], branch: Branch | null): boolean {
  if (taken.includes(branch)) return false;
  // A transition without a branch serves every outcome, so it is the only one.
  return branch === null ? taken.length === 0 : !taken.includes(null);
}

export function firstFreeBranch(
  type: StepType,
  taken: readonly (Branch | null)[],
): Branch | null | undefined {
  return branchesOf(type).find((branch) => isFree(taken, branch));
}
