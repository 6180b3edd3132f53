import { minPauseMs } from './endless.ts';
import type { Branch, DraftGraph, DraftStep, Transition } from './graph.ts';
import { parseStoredConfig, type StepType } from './step-config.ts';
import { findTemplateLimitFault } from './webhook-texts.ts';

export interface GraphFault {
  code:
    | 'trigger_missing'
    | 'trigger_repeated'
    | 'step_unreachable'
    | 'config_incomplete'
    | 'branch_missing'
    | 'branch_unknown'
    | 'branch_repeated'
    | 'transition_dangling'
    | 'transition_into_trigger'
    | 'transition_out_of_exit'
    | 'loop_without_pause';
  message: string;
  stepId: string | null;
  field?: string;
}

/**
 * Everything that keeps a graph from running, in the order of its steps: an unreachable step, an incomplete
 * config, a missing branch, a loop without a pause. A path may end at any step without branches.
 */
export function findGraphFaults(graph: DraftGraph): GraphFault[] {
  const ids = new Set(graph.steps.map(({ id }) => id));
  const isDangling = (transition: Transition) =>
    !ids.has(transition.fromStepId) || !ids.has(transition.toStepId);
  const outgoing: Outgoing = Map.groupBy(
    graph.transitions.filter((transition) => !isDangling(transition)),
    ({ fromStepId }) => fromStepId,
  );
  const triggers = graph.steps.filter(({ type }) => type === 'TRIGGER');
  const surroundings: Surroundings = {
    trigger: triggers[0],
    triggerIds: new Set(triggers.map(({ id }) => id)),
    outgoing,
    reached: reachedFrom(triggers.slice(0, 1), outgoing),
    busy: busyLoops(graph.steps, outgoing),
  };
  const wholeGraph = (code: GraphFault['code'], message: string) => ({ code, message, stepId: null });
  return [
    ...(triggers.length === 0 ? [wholeGraph('trigger_missing', 'The graph has no trigger')] : []),
    ...graph.transitions
      .filter(isDangling)
      .map(({ fromStepId, toStepId }) =>
        wholeGraph(
          'transition_dangling',
          `A transition leads from ${fromStepId} to ${toStepId}, and one of them does not exist`,
        ),
      ),
    ...graph.steps.flatMap((step) => stepFaults(step, surroundings)),
  ];
}

interface Surroundings {
  trigger: DraftStep | undefined;
  triggerIds: ReadonlySet<string>;
  outgoing: Outgoing;
  reached: ReadonlySet<string>;
  busy: ReadonlySet<string>;
}

function stepFaults(
  step: DraftStep,
  { trigger, triggerIds, outgoing, reached, busy }: Surroundings,
): GraphFault[] {
  const out = outgoing.get(step.id) ?? [];
  const fault = (code: GraphFault['code'], message: string): GraphFault => ({
    code,
    message: `${step.name}: ${message}`,
    stepId: step.id,
  });
  const faults: GraphFault[] = [];
  const isSecondTrigger = step.type === 'TRIGGER' && step !== trigger;
  if (isSecondTrigger) faults.push(fault('trigger_repeated', 'a graph has one trigger'));
  else if (!reached.has(step.id)) {
    faults.push(fault('step_unreachable', 'no path leads from the trigger to this step'));
  }
  faults.push(
    ...configFaults(step),
    ...branchFaults(step, out).map(([code, message]) => fault(code, message)),
  );
  for (const { toStepId } of out) {
    if (triggerIds.has(toStepId)) {
      faults.push(fault('transition_into_trigger', 'nothing leads back to the trigger'));
    }
  }
  if (busy.has(step.id)) {
    const message = 'it is in a loop without a DELAY or WAIT_FOR_EVENT step of a minute';
    faults.push(fault('loop_without_pause', message));
  }
  return faults;
}

function configFaults({ id, type, name, config }: DraftStep): GraphFault[] {
  const parsed = parseStoredConfig(type, config);
  const many = type === 'WEBHOOK' ? findTemplateLimitFault(config) : undefined;
  const tooMany = many === undefined ? [] : [{ field: 'config', message: many }];
  return [...(parsed.ok ? parsed.missing : parsed.issues), ...tooMany].map(({ field, message }) => ({
    code: 'config_incomplete',
    message: `${name}: ${field}: ${message}`,
    stepId: id,
    field,
  }));
}

const branchesOfType: Partial<Record<StepType, readonly (Branch | null)[]>> = {
  CONDITION: ['yes', 'no'],
  WAIT_FOR_EVENT: [null, 'event', 'timeout'],
  EXIT: [],
};

export const branchesOf = (type: StepType) => branchesOfType[type] ?? [null];

function branchFaults(
  { type, config }: DraftStep,
  out: readonly Transition[],
): [GraphFault['code'], string][] {
  const taken = out.map(({ branch }) => branch);
  const known = branchesOf(type);
  const faults: [GraphFault['code'], string][] = [];
  if (type === 'EXIT' && out.length > 0) {
    faults.push(['transition_out_of_exit', 'nothing follows an exit']);
  } else {
    for (const branch of new Set(taken.filter((one) => !known.includes(one)))) {
      faults.push(['branch_unknown', `a ${type} step has no ${nameOf(branch)}`]);
    }
  }
  for (const branch of new Set(taken.filter((one, index) => taken.indexOf(one) !== index))) {
    faults.push(['branch_repeated', `it has two transitions for ${nameOf(branch)}`]);
  }
  for (const branch of requiredBranches(type, config, taken)) {
    if (!taken.includes(branch)) faults.push(['branch_missing', `the ${nameOf(branch)} leads nowhere`]);
  }
  return faults;
}

/** A transition without a branch serves both outcomes of a wait; a wait without a limit has no timeout. */
function requiredBranches(
  type: StepType,
  config: DraftStep['config'],
  taken: readonly (Branch | null)[],
): Branch[] {
  if (type === 'CONDITION') return ['yes', 'no'];
  if (type !== 'WAIT_FOR_EVENT' || taken.includes(null)) return [];
  return config.timeout === undefined ? ['event'] : ['event', 'timeout'];
}

function nameOf(branch: Branch | null): string {
  return branch === null ? 'transition without a branch' : `branch "${branch}"`;
}

type Outgoing = ReadonlyMap<string, readonly Transition[]>;

function reachedFrom(steps: readonly DraftStep[], outgoing: Outgoing): Set<string> {
  const reached = new Set(steps.map(({ id }) => id));
  // Iterating a set also visits elements added meanwhile.
  for (const id of reached) for (const { toStepId } of outgoing.get(id) ?? []) reached.add(toStepId);
  return reached;
}

/** Whether a step takes a minute or more unless an event ends it. Incomplete steps count as pausing. */
function pauses({ type, config }: DraftStep): boolean {
  if (type !== 'DELAY' && type !== 'WAIT_FOR_EVENT') return false;
  const parsed = parseStoredConfig(type, config);
  if (!parsed.ok || parsed.ready === undefined) return true;
  const ms = 'ms' in parsed.ready ? parsed.ready.ms : parsed.ready.timeoutMs;
  return ms === null || ms >= minPauseMs;
}

/** Steps on a loop without a pause, which would run endlessly at full speed. */
function busyLoops(steps: readonly DraftStep[], outgoing: Outgoing): Set<string> {
  const unpaused = new Set(steps.filter((step) => !pauses(step)).map(({ id }) => id));
  const follows = (id: string) =>
    (outgoing.get(id) ?? []).map(({ toStepId }) => toStepId).filter((to) => unpaused.has(to));
  // Repeatedly removes steps without predecessors, which are on no loop. The rest are on a loop or after one.
  const incoming = new Map([...unpaused].map((id) => [id, 0]));
  for (const id of unpaused) for (const to of follows(id)) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const free = [...unpaused].filter((id) => incoming.get(id) === 0);
  for (const id of free) {
    unpaused.delete(id);
    for (const to of follows(id)) {
      const left = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  return new Set([...unpaused].filter((id) => leadsBack(id, follows)));
}

function leadsBack(id: string, follows: (id: string) => string[]): boolean {
  const seen = new Set(follows(id));
  for (const step of seen) for (const to of follows(step)) seen.add(to);
  return seen.has(id);
}
