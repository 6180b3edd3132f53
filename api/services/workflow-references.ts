import { refersToEvent } from '../../core/workflows/references.ts';
import type { StepType } from '../../core/workflows/step-config.ts';
import { WorkflowStep } from '../../db/entities/workflow.ts';
import type { Em } from '../../db/orm.ts';

const referringTypes: StepType[] = ['TRIGGER', 'CONDITION', 'WAIT_FOR_EVENT', 'UPDATE_CONTACT'];

export async function findReferringWorkflows(
  em: Em,
  projectId: string,
  refers: (step: WorkflowStep) => boolean,
): Promise<{ id: string; name: string }[]> {
  const steps = await em.find(
    WorkflowStep,
    { workflow: { projectId }, type: { $in: referringTypes } },
    { populate: ['workflow'], orderBy: { workflow: { createdAt: 'desc', id: 'desc' } } },
  );
  const workflows = new Map(steps.filter(refers).map(({ workflow: { id, name } }) => [id, name]));
  return [...workflows].map(([id, name]) => ({ id, name }));
}

/** Whether the step's workflow starts with the event, or the step waits for it or asks for it. */
export function usesEvent(step: WorkflowStep, name: string): boolean {
  return step.workflow.eventName === name || refersToEvent(step, name);
}
