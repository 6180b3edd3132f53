import type { z } from 'zod';
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../db/entities/workflow.ts';
import type {
  stepSchema,
  transitionSchema,
  workflowSchema,
  workflowWithGraphSchema,
} from '../schemas/answers/workflow.ts';
import type { WorkflowWithFaults } from '../services/workflows.ts';

export function presentWorkflow(workflow: Workflow): z.output<typeof workflowSchema> {
  return {
    id: workflow.id,
    name: workflow.name,
    description: workflow.description ?? null,
    enabled: workflow.enabled,
    triggerType: 'EVENT',
    triggerConfig: { eventName: workflow.eventName },
    allowReentry: workflow.allowReentry,
    projectId: workflow.projectId,
    version: workflow.version,
    liveVersion: workflow.liveVersion ?? workflow.version,
    createdAt: workflow.createdAt.toISOString(),
    updatedAt: workflow.updatedAt.toISOString(),
  };
}

export function presentWorkflowWithGraph({
  workflow,
  steps,
  transitions,
  faults,
}: WorkflowWithFaults): z.output<typeof workflowWithGraphSchema> {
  return {
    ...presentWorkflow(workflow),
    steps: steps.map(presentStep),
    transitions: transitions.map(presentTransition),
    faults: faults.map(({ code, message, stepId }) => ({ code, message, stepId })),
  };
}

export function presentStep(step: WorkflowStep): z.output<typeof stepSchema> {
  const { id, type, name, workflow } = step;
  return {
    id,
    type,
    name,
    position: step.position ?? null,
    // The event name is stored with the workflow.
    config: type === 'TRIGGER' ? { eventName: workflow.eventName } : step.config,
    templateId: step.templateId ?? null,
    updatedAt: step.updatedAt.toISOString(),
  };
}

export function presentTransition(way: WorkflowTransition): z.output<typeof transitionSchema> {
  const { id, fromStepId, toStepId } = way;
  return { id, fromStepId, toStepId, branch: way.branch ?? null };
}
