import { findEndless } from '../../../core/workflows/endless.ts';
import { isActive } from '../../../core/workflows/execution-status.ts';
import { findStep } from '../../../core/workflows/graph.ts';
import type { Em } from '../../../db/orm.ts';
import { endExecution } from '../../../db/statements/workflows/end-execution.ts';
import { lockExecution } from '../../../db/statements/workflows/lock-execution.ts';
import type { RunStepInput, StepAnswer } from '../../contracts/workflow-execution.ts';
import type { Graphs } from './graph-cache.ts';
import { handlerOf } from './steps/index.ts';
import { fail, finish, follow, followingStep, type StepEffects, type Walk } from './steps/walk.ts';

/**
 * Implements `runStep` of the activity contract in the caller's transaction.
 *
 * @param effects filled in here; the caller applies them after the commit
 */
export async function runStep(
  em: Em,
  graphs: Graphs,
  input: RunStepInput,
  effects: StepEffects = { journal: false, commandsInMs: undefined },
): Promise<StepAnswer> {
  const answer = await advance(em, graphs, input, effects);
  // The contact's activity feed shows how the execution ended.
  if (answer.follow === 'end') effects.journal = true;
  return answer;
}

async function advance(
  em: Em,
  graphs: Graphs,
  input: RunStepInput,
  effects: StepEffects,
): Promise<StepAnswer> {
  const execution = await lockExecution(em, input.executionId);
  if (execution === undefined) return { follow: 'end', status: 'gone' };
  const { status, contactId, visit, completedAt } = execution;
  if (!isActive(status)) return { follow: 'end', status };
  const graph = await graphs(em, execution.workflowId, execution.version);
  if (graph === undefined || contactId === null) {
    await endExecution(em, execution.id, { status: 'CANCELLED' });
    return { follow: 'end', status: 'CANCELLED' };
  }
  const walk: Walk = { em, graph, effects, execution: { ...execution, contactId } };
  const isNext = input.visit === visit + 1 && completedAt !== null;
  // Otherwise the activity is a retry, or the workflow asks whether the step is over.
  return visit === 0 || isNext ? enterNext(walk) : checkCurrent(walk);
}

async function enterNext(walk: Walk): Promise<StepAnswer> {
  const step = followingStep(walk);
  if (step === undefined) return finish(walk);
  const endless = findEndless(walk.execution, walk.graph.steps.length);
  if (endless !== undefined) {
    walk.effects.endless = endless.kind;
    return fail(walk, endless.message);
  }
  return handlerOf(step).enter(walk, step);
}

async function checkCurrent(walk: Walk): Promise<StepAnswer> {
  const { graph, execution } = walk;
  const step = findStep(graph, execution.currentStepId ?? '');
  if (step === undefined) throw new Error('An execution is at a step that is not in its graph');
  if (execution.completedAt !== null && execution.status === 'RUNNING') {
    return follow(walk, step, execution.branch);
  }
  const { check } = handlerOf(step);
  if (check === undefined) throw new Error(`A ${step.type} step was entered but has not ended`);
  return check(walk, step);
}
