import { minPauseMs } from './endless.ts';
import type { Branch, DraftGraph, DraftStep, Transition } from './graph.ts';
import { parseStoredConfig, type StepType } from './step-config.ts';
import { findTemplateCountFault } from './webhook-texts.ts';

/** Something that keeps a graph from running. */
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
  /** Null when it is about the whole graph. */
  stepId: string | null;
  /** Of the config: `config.templateId`. */
  field?: string;
}

/**
 * Everything that keeps a graph from running, in the order of its steps: a step that nothing leads to, a config that
 * lacks something, a branch that leads nowhere, a loop that never pauses. A way may end anywhere but at a branch.
 */
export function findGraphFaults(graph: DraftGraph): GraphFault[] {
  const ids = new Set(graph.steps.map(({ id }) => id));
  const dangling = graph.transitions.filter((way) => !ids.has(way.fromStepId) || !ids.has(way.toStepId));
  const ways = Map.groupBy(
    graph.transitions.filter((way) => !dangling.includes(way)),
    ({ fromStepId }) => fromStepId,
  );
  const triggers = graph.steps.filter(({ type }) => type === 'TRIGGER');
  const reached = reachedFrom(triggers.slice(0, 1), ways);
  const types = new Map(graph.steps.map(({ id, type }) => [id, type]));
  const busy = busyLoops(graph.steps, ways);
  return [
    ...(triggers.length === 0
      ? [{ code: 'trigger_missing' as const, message: 'The graph has no trigger', stepId: null }]
      : []),
    ...dangling.map(({ fromStepId, toStepId }) => ({
      code: 'transition_dangling' as const,
      message: `A transition leads from ${fromStepId} to ${toStepId}, and one of them is not there`,
      stepId: null,
    })),
    ...graph.steps.flatMap((step) => {
      const out = ways.get(step.id) ?? [];
      const isSecondTrigger = step.type === 'TRIGGER' && step !== triggers[0];
      const about = (code: GraphFault['code'], message: string): GraphFault => ({
        code,
        message: `${step.name}: ${message}`,
        stepId: step.id,
      });
      return [
        ...(isSecondTrigger ? [about('trigger_repeated', 'a graph has one trigger')] : []),
        ...(reached.has(step.id) || isSecondTrigger
          ? []
          : [about('step_unreachable', 'no way leads from the trigger to this step')]),
        ...configFaults(step),
        ...branchFaults(step, out).map(([code, message]) => about(code, message)),
        ...out
          .filter(({ toStepId }) => types.get(toStepId) === 'TRIGGER')
          .map(() => about('transition_into_trigger', 'nothing leads back to the trigger')),
        ...(busy.has(step.id)
          ? [
              about(
                'loop_without_pause',
                'it is in a loop without a DELAY or WAIT_FOR_EVENT step of a minute',
              ),
            ]
          : []),
      ];
    }),
  ];
}

function configFaults({ id, type, name, config }: DraftStep): GraphFault[] {
  const parsed = parseStoredConfig(type, config);
  const many = type === 'WEBHOOK' ? findTemplateCountFault(config) : undefined;
  const tooMany = many === undefined ? [] : [{ field: 'config', message: many }];
  return [...(parsed.ok ? parsed.missing : parsed.issues), ...tooMany].map(({ field, message }) => ({
    code: 'config_incomplete',
    message: `${name}: ${field}: ${message}`,
    stepId: id,
    field,
  }));
}

/** Ways out that a step of a type may have: `null` is the one without a branch. */
export function branchesOf(type: StepType): readonly (Branch | null)[] {
  switch (type) {
    case 'CONDITION':
      return ['yes', 'no'];
    case 'WAIT_FOR_EVENT':
      return [null, 'event', 'timeout'];
    case 'EXIT':
      return [];
    default:
      return [null];
  }
}

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
    if (!taken.includes(branch)) {
      faults.push(['branch_missing', `the ${nameOf(branch)} leads nowhere`]);
    }
  }
  return faults;
}

/** One way without a branch serves both outcomes of a wait; one that waits for ever has no timeout. */
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
  return branch === null ? 'way without a branch' : `branch "${branch}"`;
}

type Ways = ReadonlyMap<string, readonly Transition[]>;

function reachedFrom(steps: readonly DraftStep[], ways: Ways): Set<string> {
  const reached = new Set(steps.map(({ id }) => id));
  // A set also visits what is added while it is walked.
  for (const id of reached) for (const { toStepId } of ways.get(id) ?? []) reached.add(toStepId);
  return reached;
}

/** Whether a step takes a minute, at least if nothing happens. What an incomplete one will do is not known yet. */
function pauses({ type, config }: DraftStep): boolean {
  if (type !== 'DELAY' && type !== 'WAIT_FOR_EVENT') return false;
  const parsed = parseStoredConfig(type, config);
  if (!parsed.ok || parsed.ready === undefined) return true;
  const ms = 'ms' in parsed.ready ? parsed.ready.ms : parsed.ready.timeoutMs;
  return ms === null || ms >= minPauseMs;
}

/** Steps on a loop of which no step pauses: such a loop would run as fast as it can, for ever. */
function busyLoops(steps: readonly DraftStep[], ways: Ways): Set<string> {
  const hurried = new Set(steps.filter((step) => !pauses(step)).map(({ id }) => id));
  const follows = (id: string) =>
    (ways.get(id) ?? []).map(({ toStepId }) => toStepId).filter((to) => hurried.has(to));
  // Whatever nothing leads to is on no loop, and so on; what is left is on a loop, or behind one.
  const incoming = new Map([...hurried].map((id) => [id, 0]));
  for (const id of hurried) for (const to of follows(id)) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const free = [...hurried].filter((id) => incoming.get(id) === 0);
  for (const id of free) {
    hurried.delete(id);
    for (const to of follows(id)) {
      const left = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  return new Set([...hurried].filter((id) => leadsBack(id, follows)));
}

function leadsBack(id: string, follows: (id: string) => string[]): boolean {
  const seen = new Set(follows(id));
  for (const step of seen) for (const to of follows(step)) seen.add(to);
  return seen.has(id);
}
