import type { Branch, Transition } from './graph.ts';
import { branchesOf } from './graph-faults.ts';
import type { StepType } from './step-config.ts';

/**
 * What joins the predecessors of a step that goes away to its successor: one transition for each way that led to it.
 *
 * @returns none when nothing follows; undefined when its ways out lead to different steps
 */
export function spliced(
  transitions: readonly Transition[],
  stepId: string,
): Omit<Transition, 'id'>[] | undefined {
  const targets = new Set(
    transitions
      .filter((way) => way.fromStepId === stepId && way.toStepId !== stepId)
      .map(({ toStepId }) => toStepId),
  );
  if (targets.size > 1) return undefined;
  const [toStepId] = targets;
  if (toStepId === undefined) return [];
  return transitions
    .filter((way) => way.toStepId === stepId && way.fromStepId !== stepId)
    .map(({ fromStepId, branch }) => ({ fromStepId, toStepId, branch }));
}

/** Whether a step may get a way out for a branch, beside those that it has. */
export function isFree(taken: readonly (Branch | null)[], branch: Branch | null): boolean {
  if (taken.includes(branch)) return false;
  // A way without a branch serves every outcome, so it has none beside it.
  return branch === null ? taken.length === 0 : !taken.includes(null);
}

/** The way out that a step gets when none is named: the first that is free. @returns undefined when none is */
export function firstFreeBranch(
  type: StepType,
  taken: readonly (Branch | null)[],
): Branch | null | undefined {
  return branchesOf(type).find((branch) => isFree(taken, branch));
}
