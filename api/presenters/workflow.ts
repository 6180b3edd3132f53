import type { z } from 'zod';
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../db/entities/workflow.ts';
import {
  stepSchema,
  transitionSchema,
  workflowSchema,
  type workflowWithGraphSchema,
} from '../schemas/workflows.ts';
import type { WorkflowWithFaults } from '../services/workflows.ts';
import { present } from './present.ts';

export const presentWorkflow = (workflow: Workflow) =>
  present(workflowSchema, {
    ...workflow,
    triggerType: 'EVENT',
    triggerConfig: { eventName: workflow.eventName },
    liveVersion: workflow.liveVersion ?? workflow.version,
  });

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

export function presentStep(step: WorkflowStep) {
  const { type, config, workflow } = step;
  // The event name is stored with the workflow.
  return present(stepSchema, {
    ...step,
    config: type === 'TRIGGER' ? { eventName: workflow.eventName } : config,
  });
}

export const presentTransition = (transition: WorkflowTransition) => present(transitionSchema, transition);
