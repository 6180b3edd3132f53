import { type ReferringConfig, refersToEvent } from '../../core/workflows/references.ts';
import type { StepType } from '../../core/workflows/step-config.ts';
import { Workflow, WorkflowStep } from '../../db/entities/workflow.ts';
import type { Em } from '../../db/orm.ts';

const referringTypes: StepType[] = ['TRIGGER', 'CONDITION', 'WAIT_FOR_EVENT', 'UPDATE_CONTACT'];

/**
 * Workflows with a step that refers to something, newest first. Reads one workflow after the other: a project may have
 * many, with up to 1 MB of steps each.
 */
export async function findReferringWorkflows(
  em: Em,
  projectId: string,
  refers: (step: ReferringConfig, workflow: Workflow) => boolean,
): Promise<{ id: string; name: string }[]> {
  const newestFirst = { orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  const referring: { id: string; name: string }[] = [];
  for (const workflow of await em.find(Workflow, { projectId }, newestFirst)) {
    const ofTypes = { workflow: workflow.id, type: { $in: referringTypes } };
    const steps = await em.find(WorkflowStep, ofTypes, { disableIdentityMap: true });
    const { id, name } = workflow;
    if (steps.some((step) => refers(step, workflow))) referring.push({ id, name });
  }
  return referring;
}

/** Whether the workflow of the step starts with the event, or the step waits for it or asks for it. */
export function usesEvent(step: ReferringConfig, workflow: Workflow, name: string): boolean {
  return workflow.eventName === name || refersToEvent(step, name);
}
