import type { Endless } from '../../../../core/workflows/endless.ts';
import {
  type Branch,
  branches,
  type Graph,
  nextStep,
  type Step,
  type StepOf,
  triggerOf,
} from '../../../../core/workflows/graph.ts';
import type { Em } from '../../../../db/orm.ts';
import { endExecution } from '../../../../db/statements/workflows/end-execution.ts';
import type { LockedExecution } from '../../../../db/statements/workflows/lock-execution.ts';
import { completeStep, enterStep, type StepEnd } from '../../../../db/statements/workflows/step-runs.ts';
import type { StepAnswer } from '../../../contracts/workflow-execution.ts';
import { contextFault } from './context-limit.ts';

export interface StepEffects {
  journal: boolean;
  /** Delay until the step's first outbox command is due; undefined when there is none. */
  commandsInMs: number | undefined;
  endless?: Endless['kind'];
  /** The call that the execution is to make; `since` when it came to the step, unless it just has. */
  call?: { projectId: string; temporalId: string; since: Date | undefined };
}

/** An active execution, locked by the transaction of `em`. */
export interface Walk {
  em: Em;
  graph: Graph;
  execution: LockedExecution & { contactId: string };
  effects: StepEffects;
}

export interface StepHandler<S extends Step> {
  /**
   * Must update the execution's row last: statements that write events lock the contact and its statistics first, then
   * the execution.
   */
  enter(walk: Walk, step: S): Promise<StepAnswer>;
  /** For types that pause or make a call: checks whether the current step is over. */
  check?(walk: Walk, step: S): Promise<StepAnswer>;
}

export async function enter(walk: Walk, step: Step, pauseMs?: number | null): Promise<Walk> {
  const { id: executionId, hops } = walk.execution;
  const visit = walk.execution.visit + 1;
  await enterStep(walk.em, {
    executionId,
    visit,
    stepId: step.id,
    hops,
    ...(pauseMs !== undefined && { pauseMs }),
  });
  return { ...walk, execution: { ...walk.execution, visit, currentStepId: step.id } };
}

export function standingAt({ execution }: Walk, step: Step): { visit: number; label: string } {
  return { visit: execution.visit, label: labelOf(step) };
}

export async function complete(
  walk: Walk,
  step: Step,
  end: Omit<StepEnd, 'executionId' | 'visit'>,
): Promise<StepAnswer> {
  const { em, execution } = walk;
  const fault = end.context && contextFault(step.name, execution.context, end.context);
  if (fault !== undefined) return fail(walk, fault);
  await completeStep(em, { executionId: execution.id, visit: execution.visit, ...end });
  return follow(walk, step, end.branch ?? null);
}

export async function follow(walk: Walk, step: Step, branch: string | null): Promise<StepAnswer> {
  const next = nextStep(walk.graph, step.id, toBranch(branch));
  if (next === undefined) return finish(walk);
  // EXIT can't fail, so it needs no separate activity.
  if (next.type === 'EXIT') return exit(walk, next);
  return { follow: 'step', visit: walk.execution.visit + 1, label: labelOf(next) };
}

export function followingStep({ graph, execution }: Walk): Step | undefined {
  if (execution.visit > 0) return nextStep(graph, execution.currentStepId ?? '', toBranch(execution.branch));
  const trigger = triggerOf(graph);
  return trigger && nextStep(graph, trigger.id);
}

export async function finish({ em, execution }: Walk): Promise<StepAnswer> {
  await endExecution(em, execution.id, { status: 'COMPLETED' });
  return { follow: 'end', status: 'COMPLETED' };
}

export async function fail({ em, execution }: Walk, error: string): Promise<StepAnswer> {
  await endExecution(em, execution.id, { status: 'FAILED', error });
  return { follow: 'end', status: 'FAILED' };
}

export async function exit(walk: Walk, step: StepOf<'EXIT'>): Promise<StepAnswer> {
  const { em, execution } = await enter(walk, step);
  await completeStep(em, { executionId: execution.id, visit: execution.visit });
  await endExecution(em, execution.id, { status: 'EXITED', exitReason: step.config.reason });
  return { follow: 'end', status: 'EXITED' };
}

const labelOf = ({ type, name }: Step) => `${type} ${name}`;

const toBranch = (stored: string | null): Branch | null =>
  branches.find((branch) => branch === stored) ?? null;
