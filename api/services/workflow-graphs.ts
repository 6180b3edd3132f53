import { DomainError, orNotFound } from '../../core/errors.ts';
import { firstFreeBranch, isFree, spliced } from '../../core/workflows/edit-graph.ts';
import { type Branch, findStep } from '../../core/workflows/graph.ts';
import { branchesOf } from '../../core/workflows/graph-faults.ts';
import { type StepType, stepTitles, templateIdOf } from '../../core/workflows/step-config.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { WorkflowStep, WorkflowTransition } from '../../db/entities/workflow.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { CreateStepBody, CreateTransitionBody, PatchStepBody } from '../schemas/workflows.ts';
import {
  editWorkflow,
  findWorkflow,
  flushStep,
  storeVersion,
  toDraft,
  type WorkflowGraph,
} from './edit-workflow.ts';
import type { ProjectPlaces } from './project-places.ts';
import { requireUnchanged } from './require-unchanged.ts';
import type { TemplateTurns } from './template-turns.ts';
import { syncListener } from './workflow-listener.ts';
import {
  lockReferences,
  type ReadStepConfig,
  readStepConfig,
  readTriggerEvent,
  withOtherTemplate,
  withTemplate,
} from './workflow-step-configs.ts';

const maxSteps = 250;

/**
 * Each edit increments the workflow's version; running executions keep theirs. While the graph can't run, new
 * executions use the last version that could.
 *
 * All methods throw DomainError `NOT_FOUND` for a missing workflow, step, transition or template, `VALIDATION_ERROR`
 * for an invalid config, and `CONFLICT` when the workflow (for `patchStep` the step) has changed since `seen`.
 */
export function createWorkflowGraphsService(orm: Orm, { inTurn }: TemplateTurns, writes: ProjectPlaces) {
  /** Runs before the write takes its place, because a config with much Liquid may have to wait for its turn. */
  async function readSentConfig(projectId: string, workflowId: string, stepId: string, body: PatchStepBody) {
    const { config, templateId } = body;
    if (config === undefined) return undefined;
    const em = projectEm(orm, projectId);
    const workflow = await findWorkflow(em, workflowId);
    const { type } = orNotFound(await em.findOne(WorkflowStep, { id: stepId, workflow }), 'Step');
    requireSameType(type, body);
    if (type === 'TRIGGER') return undefined;
    return inTurn(projectId, () => readStepConfig(type, withTemplate(type, config, templateId)));
  }

  return {
    /**
     * Adds a step: unconnected, after `autoConnect`, or within the transition `transitionId`, which then leads to it.
     * @throws DomainError `BAD_REQUEST` when no step may follow, `CONFLICT` when the branch is taken
     */
    async addStep(projectId: string, workflowId: string, body: CreateStepBody, seen?: Date) {
      const { type } = body;
      const read = await inTurn(projectId, () =>
        readStepConfig(type, withTemplate(type, body.config ?? {}, body.templateId)),
      );
      const insert = (em: Em, graph: WorkflowGraph) => insertStep(em, graph, body, read);
      return writes.run(projectId, () => editWorkflow(orm, projectId, workflowId, insert, seen));
    },

    async patchStep(projectId: string, workflowId: string, stepId: string, body: PatchStepBody, seen?: Date) {
      const sent = await readSentConfig(projectId, workflowId, stepId, body);
      const edit = async (em: Em, graph: WorkflowGraph) => {
        const step = requireStep(graph, stepId);
        requireUnchanged(step, seen);
        return changeStep(em, graph, step, body, sent);
      };
      return writes.run(projectId, () => editWorkflow(orm, projectId, workflowId, edit));
    },

    /**
     * Removes a step and its transitions.
     * @param splice connects its predecessors to its successor
     * @throws DomainError `BAD_REQUEST` for the trigger; `CONFLICT` when several different steps follow
     */
    removeStep(projectId: string, workflowId: string, stepId: string, splice: boolean, seen?: Date) {
      const remove = (em: Em, graph: WorkflowGraph) => dropStep(em, graph, stepId, splice);
      return editWorkflow(orm, projectId, workflowId, remove, seen);
    },

    /** @throws DomainError `BAD_REQUEST` for a branch that the step does not have, `CONFLICT` for one that is taken */
    addTransition(
      projectId: string,
      workflowId: string,
      { fromStepId, toStepId, branch }: CreateTransitionBody,
      seen?: Date,
    ) {
      const add = async (em: Em, graph: WorkflowGraph) => {
        const [from, to] = [requireStep(graph, fromStepId), requireStep(graph, toStepId)];
        const transition = connect(em, graph, from, to, branch ?? null);
        storeVersion(em, graph.workflow, toDraft(graph));
        return transition;
      };
      return editWorkflow(orm, projectId, workflowId, add, seen);
    },

    removeTransition(projectId: string, workflowId: string, transitionId: string, seen?: Date) {
      const remove = async (em: Em, graph: WorkflowGraph) => {
        const transition = requireTransition(graph, transitionId);
        em.remove(transition);
        graph.transitions = graph.transitions.filter((one) => one !== transition);
        storeVersion(em, graph.workflow, toDraft(graph));
      };
      return editWorkflow(orm, projectId, workflowId, remove, seen);
    },
  };
}

const requireStep = (graph: WorkflowGraph, id: string) => orNotFound(findStep(graph, id), 'Step');

const requireTransition = ({ transitions }: WorkflowGraph, id: string) =>
  orNotFound(
    transitions.find((one) => one.id === id),
    'Transition',
  );

function requireSameType(type: StepType, body: PatchStepBody): void {
  if (body.type === undefined || body.type === type) return;
  throw new DomainError('BAD_REQUEST', `type: The type of a ${type} step can't be changed`);
}

function branchesTaken({ transitions }: WorkflowGraph, step: WorkflowStep): (Branch | null)[] {
  return transitions.filter(({ fromStepId }) => fromStepId === step.id).map(({ branch }) => branch ?? null);
}

function connect(
  em: Em,
  graph: WorkflowGraph,
  from: WorkflowStep,
  to: WorkflowStep,
  branch: Branch | null,
): WorkflowTransition {
  const known = branchesOf(from.type);
  if (known.length === 0) throw new DomainError('BAD_REQUEST', `Nothing follows an ${from.type} step`);
  if (to.type === 'TRIGGER') throw new DomainError('BAD_REQUEST', "A transition can't lead to the trigger");
  if (!known.includes(branch)) {
    const named = known.filter((one) => one !== null);
    const expected = named.length === 0 ? 'none' : named.join(' or ');
    throw new DomainError('BAD_REQUEST', `branch: Expected ${expected} for a ${from.type} step`);
  }
  if (!isFree(branchesTaken(graph, from), branch)) {
    const taken = branch === null ? '' : ` for "${branch}"`;
    throw new DomainError('CONFLICT', `${from.name} has a transition${taken} already`, {
      suggestion: 'Delete it first.',
    });
  }
  const { workflow } = graph;
  const transition = em.create(WorkflowTransition, {
    workflow,
    fromStepId: from.id,
    toStepId: to.id,
    branch,
  });
  graph.transitions.push(transition);
  return transition;
}

async function insertStep(
  em: Em,
  graph: WorkflowGraph,
  body: CreateStepBody,
  read: ReadStepConfig,
): Promise<WorkflowStep> {
  const { id: workflowId, projectId } = graph.workflow;
  const { type, autoConnect, transitionId } = body;
  const before = autoConnect ? requireStep(graph, autoConnect) : undefined;
  const within = transitionId ? requireTransition(graph, transitionId) : undefined;
  await lockReferences(em, projectId, workflowId, read);
  if (graph.steps.length >= maxSteps) {
    throw new DomainError('BAD_REQUEST', `A workflow has at most ${maxSteps} steps`);
  }
  const step = em.create(WorkflowStep, {
    workflow: graph.workflow,
    type,
    name: body.name ?? stepTitles[type],
    position: body.position ?? null,
    config: read.config,
    templateId: templateIdOf(type, read.config),
  });
  await flushStep(em, workflowId);
  graph.steps.push(step);
  if (before !== undefined) {
    const free = firstFreeBranch(before.type, branchesTaken(graph, before));
    // When none is free, `connect` reports the conflict on the first one.
    connect(em, graph, before, step, body.branch ?? free ?? branchesOf(before.type)[0] ?? null);
  }
  if (within !== undefined) {
    connect(em, graph, step, requireStep(graph, within.toStepId), branchesOf(type)[0] ?? null);
    within.toStepId = step.id;
  }
  storeVersion(em, graph.workflow, toDraft(graph));
  return step;
}

async function dropStep(em: Em, graph: WorkflowGraph, stepId: string, splice: boolean): Promise<void> {
  const step = requireStep(graph, stepId);
  if (step.type === 'TRIGGER')
    throw new DomainError('BAD_REQUEST', "The trigger of a workflow can't be deleted");
  const joining = splice ? spliced(toDraft(graph).transitions, step.id) : [];
  if (joining === undefined) {
    throw new DomainError('CONFLICT', `Different steps follow ${step.name}, so it has no single successor`, {
      suggestion: 'Delete all but one of its transitions first, or the step without splice=true.',
    });
  }
  const isOfStep = (transition: WorkflowTransition) =>
    transition.fromStepId === step.id || transition.toStepId === step.id;
  em.remove([step, ...graph.transitions.filter(isOfStep)]);
  // Flushed first: the new transitions reuse the branches of the removed ones.
  await em.flush();
  const { workflow } = graph;
  const joined = joining.map((transition) => em.create(WorkflowTransition, { ...transition, workflow }));
  graph.steps = graph.steps.filter((other) => other !== step);
  graph.transitions = [...graph.transitions.filter((transition) => !isOfStep(transition)), ...joined];
  storeVersion(em, workflow, toDraft(graph));
}

async function changeStep(
  em: Em,
  graph: WorkflowGraph,
  step: WorkflowStep,
  body: PatchStepBody,
  sent: ReadStepConfig | undefined,
): Promise<WorkflowStep> {
  const { id: workflowId, projectId } = graph.workflow;
  const { workflow } = graph;
  requireSameType(step.type, body);
  const { name, config } = step;
  const { eventName } = workflow;
  if (step.type === 'TRIGGER') {
    workflow.eventName = readTriggerEvent(body.config) ?? eventName;
    if (workflow.eventName !== eventName) await syncListener(em, workflow, eventName);
  } else {
    const read = sent ?? withOtherTemplate(step, body.templateId);
    if (read !== undefined) {
      await lockReferences(em, projectId, workflowId, read);
      em.assign(step, { config: read.config, templateId: templateIdOf(step.type, read.config) });
    }
  }
  em.assign(step, { name: body.name, position: body.position }, { ignoreUndefined: true });
  await flushStep(em, workflowId);
  const isOnlyMoved = step.name === name && step.config === config && workflow.eventName === eventName;
  if (!isOnlyMoved) storeVersion(em, workflow, toDraft(graph));
  return step;
}
