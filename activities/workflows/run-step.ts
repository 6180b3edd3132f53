import { findEndless, pauseOf, pauseUntil } from '../../core/workflows/endless.ts';
import {
  type Branch,
  branches,
  findStep,
  type Graph,
  nextStep,
  type Step,
  triggerOf,
} from '../../core/workflows/graph.ts';
import type { Em } from '../../db/orm.ts';
import { beginWait, endWait, readHops } from '../../db/repositories/events/event-waits.ts';
import {
  completeStep,
  endExecution,
  enterStep,
  type HeldExecution,
  holdExecution,
  type StepEnd,
} from '../../db/repositories/workflows/execution-steps.ts';
import type { RunStepInput, StepAnswer } from '../../temporal/contracts/workflow-execution.ts';
import { act, StepFailure } from './act.ts';
import { contextFault } from './context-limit.ts';
import type { Graphs } from './graph-cache.ts';
import type { StepTraces } from './step-traces.ts';

/** An execution that is under way, with its graph and its contact. */
interface Walk {
  em: Em;
  graph: Graph;
  execution: HeldExecution & { contactId: string };
  traces: StepTraces;
}

/**
 * What `runStep` of the contract does; the caller's transaction holds it together.
 *
 * @param traces noted here, for after the commit
 */
export async function runStep(
  em: Em,
  graphs: Graphs,
  input: RunStepInput,
  traces: StepTraces = { journal: false, commandsInMs: undefined },
): Promise<StepAnswer> {
  const answer = await look(em, graphs, input, traces);
  // The activity of a contact tells how its execution has ended.
  if (answer.follow === 'end') traces.journal = true;
  return answer;
}

async function look(em: Em, graphs: Graphs, input: RunStepInput, traces: StepTraces): Promise<StepAnswer> {
  const execution = await holdExecution(em, input.executionId);
  if (execution === undefined) return { follow: 'end', status: 'gone' };
  const { status, contactId, visit } = execution;
  if (status !== 'RUNNING' && status !== 'WAITING') return { follow: 'end', status };
  const graph = await graphs(em, execution.workflowId, execution.version);
  if (graph === undefined || contactId === null) {
    await endExecution(em, execution.id, { status: 'CANCELLED' });
    return { follow: 'end', status: 'CANCELLED' };
  }
  const walk: Walk = { em, graph, traces, execution: { ...execution, contactId } };
  if (input.visit === visit + 1 && (visit === 0 || execution.completedAt !== null)) return enterNext(walk);
  // Otherwise the database is ahead of whoever asks, or says what is still to come.
  return visit === 0 ? enterNext(walk) : lookAgain(walk);
}

/**
 * Enters the step after the one that has ended, and does what it does. Whoever writes an event holds its contact and its
 * statistics and then looks at the contact's execution, which is therefore changed last.
 */
async function enterNext(walk: Walk): Promise<StepAnswer> {
  const { em, execution } = walk;
  const step = stepAfter(walk, execution.visit, toBranch(execution.branch));
  if (step === undefined) return finish(walk);
  const endless = findEndless(execution, walk.graph.steps.length);
  if (endless !== undefined) {
    walk.traces.endless = endless.kind;
    await endExecution(em, execution.id, { status: 'FAILED', error: endless.message });
    return { follow: 'end', status: 'FAILED' };
  }
  const visit = execution.visit + 1;
  const entry = { executionId: execution.id, visit, stepId: step.id, hops: execution.hops };
  const at = { visit, label: labelOf(step) };
  switch (step.type) {
    case 'DELAY':
      await enterStep(em, { ...entry, pauseMs: step.config.ms });
      return { follow: 'sleep', ...at, ms: step.config.ms };
    case 'WAIT_FOR_EVENT': {
      const { eventName, timeoutMs } = step.config;
      const { projectId, workflowId, contactId, id } = execution;
      const event = await beginWait(em, {
        projectId,
        workflowId,
        executionId: id,
        visit,
        contactId,
        eventName,
      });
      await enterStep(em, { ...entry, pauseMs: timeoutMs });
      if (event === undefined) return { follow: 'wait', ...at, ms: timeoutMs };
      return complete(walk, step, {
        executionId: id,
        visit,
        branch: 'event',
        output: { eventId: event.id, eventName: event.name, data: event.data },
        context: event.data,
        pause: pauseUntil(event, 0),
      });
    }
    case 'WEBHOOK':
      await enterStep(em, entry);
      return { follow: 'call', ...at };
    case 'EXIT':
      return exit(walk, step);
    case 'TRIGGER':
      throw new Error('Nothing leads to the trigger of a graph without faults');
    default:
      try {
        const { commandsInMs, ...done } = await act(em, execution, step);
        walk.traces.commandsInMs = commandsInMs;
        walk.traces.journal = step.type === 'UPDATE_CONTACT';
        await enterStep(em, entry);
        return await complete(walk, step, { executionId: execution.id, visit, ...done });
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        await enterStep(em, entry);
        await endExecution(em, execution.id, { status: 'FAILED', error: `${step.name}: ${error.message}` });
        return { follow: 'end', status: 'FAILED' };
      }
  }
}

/** Looks whether the step that was entered is over. */
async function lookAgain(walk: Walk): Promise<StepAnswer> {
  const { em, execution, graph } = walk;
  const { id: executionId, visit, completedAt, status } = execution;
  const step = findStep(graph, execution.currentStepId ?? '');
  if (step === undefined) throw new Error('An execution stands at a step that its graph does not have');
  const at = { visit, label: labelOf(step) };
  if (completedAt !== null && status === 'RUNNING') return goOn(walk, step, execution.branch);
  const leftMs = execution.resumeAt === null ? null : execution.resumeAt.getTime() - Date.now();
  switch (step.type) {
    case 'DELAY':
      if (leftMs !== null && leftMs > 0) return { follow: 'sleep', ...at, ms: leftMs };
      return complete(walk, step, { executionId, visit, pause: pauseOf(step.config.ms) });
    case 'WAIT_FOR_EVENT': {
      const byEvent = async ({ output: found, enteredAt, completedAt: endedAt }: HeldExecution) => {
        const hops = typeof found?.eventId === 'string' ? await readHops(em, found.eventId) : undefined;
        const ms = (endedAt?.getTime() ?? 0) - (enteredAt?.getTime() ?? 0);
        const pause = pauseUntil({ hops: hops ?? 0 }, ms);
        return complete(walk, step, { executionId, visit, branch: 'event', context: dataOf(found), pause });
      };
      if (completedAt !== null) return byEvent(execution);
      if (leftMs === null || leftMs > 0) return { follow: 'wait', ...at, ms: leftMs };
      // An event that held the listener this very moment has ended the step run by now.
      const after = (await endWait(em, executionId)) ? undefined : await holdExecution(em, executionId);
      if (after?.completedAt) return byEvent(after);
      const pause = pauseOf(step.config.timeoutMs);
      return complete(walk, step, { executionId, visit, branch: 'timeout', pause });
    }
    default:
      return { follow: 'call', ...at };
  }
}

/** Ends the step run and says what follows it. */
async function complete(walk: Walk, step: Step, end: StepEnd): Promise<StepAnswer> {
  const { em, execution } = walk;
  const fault = end.context && contextFault(step.name, execution.context, end.context);
  if (fault !== undefined) {
    await endExecution(em, execution.id, { status: 'FAILED', error: fault });
    return { follow: 'end', status: 'FAILED' };
  }
  await completeStep(em, end);
  return goOn(
    { ...walk, execution: { ...execution, visit: end.visit, currentStepId: step.id } },
    step,
    end.branch ?? null,
  );
}

async function goOn(walk: Walk, step: Step, branch: string | null): Promise<StepAnswer> {
  const next = nextStep(walk.graph, step.id, toBranch(branch));
  if (next === undefined) return finish(walk);
  // It asks for nothing that could fail, so it takes no turn of its own.
  if (next.type === 'EXIT') return exit(walk, next);
  return { follow: 'step', visit: walk.execution.visit + 1, label: labelOf(next) };
}

async function finish({ em, execution }: Walk): Promise<StepAnswer> {
  await endExecution(em, execution.id, { status: 'COMPLETED' });
  return { follow: 'end', status: 'COMPLETED' };
}

/** Enters the EXIT step after the one at which the execution stands, which is over. */
async function exit({ em, execution }: Walk, step: Extract<Step, { type: 'EXIT' }>): Promise<StepAnswer> {
  const [executionId, visit] = [execution.id, execution.visit + 1];
  await enterStep(em, { executionId, visit, stepId: step.id, hops: execution.hops });
  await completeStep(em, { executionId, visit });
  await endExecution(em, executionId, { status: 'EXITED', exitReason: step.config.reason });
  return { follow: 'end', status: 'EXITED' };
}

function stepAfter({ graph, execution }: Walk, visit: number, branch: Branch | null): Step | undefined {
  if (visit > 0) return nextStep(graph, execution.currentStepId ?? '', branch);
  const trigger = triggerOf(graph);
  return trigger && nextStep(graph, trigger.id);
}

const labelOf = ({ type, name }: Step) => `${type} ${name}`;

const toBranch = (stored: string | null): Branch | null =>
  branches.find((branch) => branch === stored) ?? null;

function dataOf(output: Record<string, unknown> | null): Record<string, unknown> {
  const data = output?.data;
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? { ...data } : {};
}
