import { isPlainObject } from '../../../../core/json-value.ts';
import { pauseOf, pauseUntil } from '../../../../core/workflows/endless.ts';
import type { StepOf } from '../../../../core/workflows/graph.ts';
import { Event } from '../../../../db/entities/event.ts';
import { beginWait, endWait } from '../../../../db/statements/events/begin-wait.ts';
import { type LockedExecution, lockExecution } from '../../../../db/statements/workflows/lock-execution.ts';
import type { StepAnswer } from '../../../contracts/workflow-execution.ts';
import { complete, enter, type StepHandler, standingAt, type Walk } from './walk.ts';

export const waitForEvent: StepHandler<StepOf<'WAIT_FOR_EVENT'>> = {
  async enter(walk, step) {
    const { eventName, timeoutMs } = step.config;
    const { id: executionId, projectId, workflowId, contactId } = walk.execution;
    const visit = walk.execution.visit + 1;
    const wait = { projectId, workflowId, executionId, visit, contactId, eventName };
    const event = await beginWait(walk.em, wait);
    const entered = await enter(walk, step, timeoutMs);
    if (event === undefined) return { follow: 'wait', ...standingAt(entered, step), ms: timeoutMs };
    return complete(entered, step, {
      branch: 'event',
      output: { eventId: event.id, eventName: event.name, data: event.data },
      context: event.data,
      pause: pauseUntil(event, 0),
    });
  },

  async check(walk, step) {
    const { em, execution } = walk;
    if (execution.completedAt !== null) return endByEvent(walk, step, execution);
    const ms = walk.execution.resumesInMs;
    if (ms === null || ms > 0) return { follow: 'wait', ...standingAt(walk, step), ms };
    // An event that held the listener's lock has ended the step run by now.
    const after = (await endWait(em, execution.id)) ? undefined : await lockExecution(em, execution.id);
    if (after?.completedAt) return endByEvent(walk, step, after);
    return complete(walk, step, { branch: 'timeout', pause: pauseOf(step.config.timeoutMs) });
  },
};

async function endByEvent(
  walk: Walk,
  step: StepOf<'WAIT_FOR_EVENT'>,
  { output, enteredAt, completedAt }: LockedExecution,
): Promise<StepAnswer> {
  const id = output?.eventId;
  const event = typeof id === 'string' ? await walk.em.findOne(Event, { id }, { fields: ['hops'] }) : null;
  const waitedMs = (completedAt?.getTime() ?? 0) - (enteredAt?.getTime() ?? 0);
  const pause = pauseUntil({ hops: event?.hops ?? 0 }, waitedMs);
  return complete(walk, step, { branch: 'event', context: dataOf(output), pause });
}

function dataOf(output: Record<string, unknown> | null): Record<string, unknown> {
  const data = output?.data;
  return isPlainObject(data) ? data : {};
}
