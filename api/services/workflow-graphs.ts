import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { firstFreeBranch, isFree, spliced } from '../../core/workflows/edit-graph.ts';
import { type Branch, findStep } from '../../core/workflows/graph.ts';
import { branchesOf } from '../../core/workflows/graph-faults.ts';
import { type StepType, templateIdOf } from '../../core/workflows/step-config.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  deleteStep,
  deleteTransition,
  insertStep,
  insertTransition,
  type StepRecord,
  type TransitionRecord,
  updateStep,
} from '../../db/repositories/workflows/workflow-graphs.ts';
import { updateWorkflow } from '../../db/repositories/workflows/workflows.ts';
import type { CreateStepBody, CreateTransitionBody, PatchStepBody } from '../schemas/workflows.ts';
import { editWorkflow, finishEdit, type HeldWorkflow, requireRoom } from './workflow-records.ts';
import { holdReferences, readStepConfig, readTriggerEvent } from './workflow-step-configs.ts';

/** Steps of a workflow, its trigger included. */
const maxSteps = 250;

const titles: Readonly<Record<StepType, string>> = {
  TRIGGER: 'Trigger',
  SEND_EMAIL: 'Send email',
  DELAY: 'Delay',
  WAIT_FOR_EVENT: 'Wait for event',
  CONDITION: 'Condition',
  WEBHOOK: 'Webhook',
  UPDATE_CONTACT: 'Update contact',
  EXIT: 'Exit',
};

/** A step, and the event of its workflow, which a TRIGGER step shows. */
export interface EditedStep {
  step: StepRecord;
  eventName: string;
}

/**
 * Edits of graphs. Each raises the workflow's version; an execution follows the version that it started with to its end.
 * An edit may leave a graph that can't run: new executions follow the last version that could until it can again.
 *
 * All throw DomainError `NOT_FOUND` for a workflow, step, transition or template that is not there, `VALIDATION_ERROR`
 * for a config of a wrong shape.
 */
export interface WorkflowGraphsService {
  /** @throws DomainError `BAD_REQUEST` where nothing may follow, `CONFLICT` when the way to it is taken */
  addStep(projectId: string, workflowId: string, body: CreateStepBody): Promise<EditedStep>;
  /** @throws DomainError `BAD_REQUEST` for another type */
  patchStep(projectId: string, workflowId: string, stepId: string, body: PatchStepBody): Promise<EditedStep>;
  /**
   * Removes a step with its transitions.
   * @param splice joins what leads to it to what follows it
   * @throws DomainError `BAD_REQUEST` for the trigger; `CONFLICT` when different steps follow
   */
  removeStep(projectId: string, workflowId: string, stepId: string, splice: boolean): Promise<void>;
  /** @throws DomainError `BAD_REQUEST` for a branch that the step does not have, `CONFLICT` for one that is taken */
  addTransition(projectId: string, workflowId: string, body: CreateTransitionBody): Promise<TransitionRecord>;
  removeTransition(projectId: string, workflowId: string, transitionId: string): Promise<void>;
}

export function createWorkflowGraphsService(orm: Orm): WorkflowGraphsService {
  return {
    addStep(projectId, workflowId, { type, name, position, config: raw, templateId, autoConnect, branch }) {
      const read = readStepConfig(type, withTemplate(type, raw ?? {}, templateId));
      return editWorkflow(orm, projectId, workflowId, async (em, held) => {
        const before = autoConnect ? requireStep(held.steps, autoConnect) : undefined;
        await holdReferences(em, projectId, workflowId, read);
        if (held.steps.length >= maxSteps) {
          throw new DomainError('BAD_REQUEST', `A workflow has at most ${maxSteps} steps`);
        }
        const step: StepRecord = {
          id: newId(),
          type,
          name: name ?? titles[type],
          position: position ?? null,
          config: read.config,
          templateId: templateIdOf(type, read.config),
        };
        await insertStep(em, workflowId, step);
        await requireRoom(em, workflowId);
        if (before !== undefined) {
          const free = firstFreeBranch(before.type, branchesTaken(held, before.id));
          // When none is free, the first says so.
          await connect(em, held, before, step, branch ?? free ?? branchesOf(before.type)[0] ?? null);
        }
        await finishEdit(em, held.workflow);
        return { step, eventName: held.workflow.eventName };
      });
    },

    patchStep(projectId, workflowId, stepId, body) {
      return editWorkflow(orm, projectId, workflowId, async (em, held) => {
        const step = requireStep(held.steps, stepId);
        if (body.type !== undefined && body.type !== step.type) {
          throw new DomainError('BAD_REQUEST', `type: A ${step.type} step stays one`);
        }
        const changed = { ...step, name: body.name ?? step.name };
        if (body.position !== undefined) changed.position = body.position;
        let { eventName } = held.workflow;
        if (step.type === 'TRIGGER') {
          eventName = readTriggerEvent(body.config) ?? eventName;
        } else if (body.config !== undefined || body.templateId !== undefined) {
          const raw = withTemplate(step.type, body.config ?? step.config, body.templateId);
          const read = readStepConfig(step.type, raw);
          await holdReferences(em, projectId, workflowId, read);
          changed.config = read.config;
          changed.templateId = templateIdOf(step.type, read.config);
        }
        await updateStep(em, changed);
        await requireRoom(em, workflowId);
        if (eventName !== held.workflow.eventName) {
          await updateWorkflow(em, workflowId, { ...held.workflow, eventName });
        }
        const isStructural =
          changed.name !== step.name ||
          changed.config !== step.config ||
          eventName !== held.workflow.eventName;
        // Where a step is drawn is of no meaning to executions.
        if (isStructural) await finishEdit(em, { id: workflowId, eventName });
        return { step: changed, eventName };
      });
    },

    removeStep(projectId, workflowId, stepId, splice) {
      return editWorkflow(orm, projectId, workflowId, async (em, held) => {
        const step = requireStep(held.steps, stepId);
        if (step.type === 'TRIGGER') throw new DomainError('BAD_REQUEST', 'The trigger of a workflow stays');
        const joining = splice ? spliced(held.transitions, step.id) : [];
        if (joining === undefined) {
          throw new DomainError(
            'CONFLICT',
            `Different steps follow ${step.name}, so nothing can take its place`,
            {
              suggestion: 'Delete all but one of its transitions first, or the step without splice=true.',
            },
          );
        }
        await deleteStep(em, workflowId, stepId);
        for (const way of joining) await insertTransition(em, workflowId, { id: newId(), ...way });
        await finishEdit(em, held.workflow);
      });
    },

    addTransition(projectId, workflowId, { fromStepId, toStepId, branch }) {
      return editWorkflow(orm, projectId, workflowId, async (em, held) => {
        const from = requireStep(held.steps, fromStepId);
        const to = requireStep(held.steps, toStepId);
        const way = await connect(em, held, from, to, branch ?? null);
        await finishEdit(em, held.workflow);
        return way;
      });
    },

    removeTransition(projectId, workflowId, transitionId) {
      return editWorkflow(orm, projectId, workflowId, async (em, held) => {
        if (!held.transitions.some(({ id }) => id === transitionId.toLowerCase()))
          throw notFound('Transition');
        await deleteTransition(em, workflowId, transitionId);
        await finishEdit(em, held.workflow);
      });
    },
  };
}

function requireStep(steps: readonly StepRecord[], id: string): StepRecord {
  const step = findStep({ steps }, id.toLowerCase());
  if (step === undefined) throw notFound('Step');
  return step;
}

/** `templateId` beside the config, where a step shows it, means the same as in it. */
function withTemplate(type: StepType, raw: unknown, templateId: string | null | undefined): unknown {
  if (templateId === undefined || type !== 'SEND_EMAIL') return raw;
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? { ...raw, templateId } : raw;
}

function branchesTaken({ transitions }: HeldWorkflow, stepId: string): (Branch | null)[] {
  return transitions.filter(({ fromStepId }) => fromStepId === stepId).map((way) => way.branch);
}

async function connect(
  em: Em,
  held: HeldWorkflow,
  from: StepRecord,
  to: StepRecord,
  branch: Branch | null,
): Promise<TransitionRecord> {
  const known = branchesOf(from.type);
  if (known.length === 0) throw new DomainError('BAD_REQUEST', `Nothing follows an ${from.type} step`);
  if (to.type === 'TRIGGER') throw new DomainError('BAD_REQUEST', 'Nothing leads to the trigger');
  if (!known.includes(branch)) {
    const named = known.filter((one) => one !== null);
    const expected = named.length === 0 ? 'none' : named.join(' or ');
    throw new DomainError('BAD_REQUEST', `branch: Expected ${expected} for a ${from.type} step`);
  }
  if (!isFree(branchesTaken(held, from.id), branch)) {
    const taken = branch === null ? '' : ` for "${branch}"`;
    throw new DomainError('CONFLICT', `${from.name} has a transition${taken} already`, {
      suggestion: 'Delete it first.',
    });
  }
  const way = { id: newId(), fromStepId: from.id, toStepId: to.id, branch };
  await insertTransition(em, held.workflow.id, way);
  return way;
}
