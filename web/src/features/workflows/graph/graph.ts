import type { Schema } from '../../../api/client.ts';

export type Step = Schema<'WorkflowStep'>;
export type StepType = Step['type'];
export type Transition = Schema<'WorkflowTransition'>;
export type Branch = Transition['branch'];
export type Fault = Schema<'WorkflowWithGraph'>['faults'][number];

export interface Graph {
  steps: readonly Step[];
  transitions: readonly Transition[];
}

/** Where a path can continue. */
export interface OpenEnd {
  fromStepId: string;
  branch: Branch;
}

export const branchWords = { yes: 'Yes', no: 'No', event: 'It happened', timeout: 'Timed out' } as const;

export const transitionsFrom = (graph: Graph, stepId: string): Transition[] =>
  graph.transitions.filter(({ fromStepId }) => fromStepId === stepId);

export function openEnds(graph: Graph, { id, type, config }: Step): OpenEnd[] {
  const taken = transitionsFrom(graph, id).map(({ branch }) => branch);
  // A transition without a branch serves every outcome.
  if (taken.includes(null)) return [];
  return branchesOf(type, config.timeout !== undefined)
    .filter((branch) => !taken.includes(branch))
    .map((branch) => ({ fromStepId: id, branch }));
}

function branchesOf(type: StepType, hasTimeout: boolean): Branch[] {
  switch (type) {
    case 'CONDITION':
      return ['yes', 'no'];
    case 'WAIT_FOR_EVENT':
      return hasTimeout ? ['event', 'timeout'] : ['event'];
    case 'EXIT':
      return [];
    case 'TRIGGER':
    case 'SEND_EMAIL':
    case 'DELAY':
    case 'WEBHOOK':
    case 'UPDATE_CONTACT':
      return [null];
  }
}

/** Whether the successor of a removed step can follow its predecessors: the step must have at most one successor. */
export function canSplice(graph: Graph, stepId: string): boolean {
  const targets = transitionsFrom(graph, stepId).map(({ toStepId }) => toStepId);
  return new Set(targets.filter((id) => id !== stepId)).size <= 1;
}

/**
 * The message without the prefix that the API adds (the name of the step and the path of the field), with the names of
 * branches as the graph shows them.
 */
export function faultText({ message }: Fault, step: Step): string {
  const prefix = `${step.name}: `;
  const own = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  const text = own
    .replace(/^config(\.\S+)?: /, '')
    .replace(
      /\bbranch "(yes|no|event|timeout)"/,
      (_, branch: keyof typeof branchWords) => `branch “${branchWords[branch]}”`,
    );
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface CheckedGraph extends Pick<Graph, 'steps'> {
  enabled: boolean;
  faults: readonly Fault[];
}

/**
 * The faults to show. A step that was added but not configured yet shows a single fault: its form asks for the rest,
 * and its branches come afterward. A trigger alone can run, but somebody who enables it has forgotten the steps.
 */
export function shownFaults({ steps, enabled, faults }: CheckedGraph): Fault[] {
  const [first] = steps;
  if (first && steps.length === 1 && faults.length === 0 && !enabled)
    return [{ stepId: first.id, code: notSetUp, message: 'Nothing follows yet. Add a step' }];
  const blank = new Set(steps.filter(isBlank).map(({ id }) => id));
  const seen = new Set<string>();
  return faults.flatMap((fault) => {
    const { stepId, code } = fault;
    if (stepId === null || !blank.has(stepId) || !ofBlankStep.has(code)) return [fault];
    if (seen.has(stepId)) return [];
    seen.add(stepId);
    return [{ ...fault, code: notSetUp, message: 'Not set up yet' }];
  });
}

const notSetUp = 'not_set_up';
const ofBlankStep = new Set(['config_incomplete', 'branch_missing']);
const isBlank = ({ type, config }: Step) => type !== 'EXIT' && Object.keys(config).length === 0;

/** Whether it is a fault in something that the user entered. */
export const isWrong = ({ code }: Fault): boolean => code !== notSetUp;

/** One item of the graph in reading order. */
export type OutlineItem =
  | { kind: 'step'; step: Step; transition: Transition | null; forks: Fork[] }
  /** Refers to a step elsewhere in the list. */
  | { kind: 'jump'; to: Step; transition: Transition }
  | { kind: 'end'; end: OpenEnd };

export interface Fork {
  branch: Exclude<Branch, null>;
  items: OutlineItem[];
}

export interface Outline {
  items: OutlineItem[];
  /** Parts that can't be reached from the trigger. */
  loose: OutlineItem[][];
  numberOf: ReadonlyMap<string, number>;
}

/** The graph as an ordered list: branches are nested lists, and each step appears once. */
export function outlineOf(graph: Graph): Outline {
  const stepById = new Map(graph.steps.map((step) => [step.id, step]));
  const numberOf = new Map<string, number>();

  function itemsFrom(step: Step, transition: Transition | null): OutlineItem[] {
    numberOf.set(step.id, numberOf.size + 1);
    const out = transitionsFrom(graph, step.id);
    const straight = out.find(({ branch }) => branch === null);
    if (straight) return [{ kind: 'step', step, transition, forks: [] }, ...itemsBehind(straight)];
    const ends = openEnds(graph, step);
    const [end] = ends;
    if (end?.branch === null) {
      return [
        { kind: 'step', step, transition, forks: [] },
        { kind: 'end', end },
      ];
    }
    const forks = (['yes', 'no', 'event', 'timeout'] as const).flatMap((branch): Fork[] => {
      const taken = out.find((one) => one.branch === branch);
      if (taken) return [{ branch, items: itemsBehind(taken) }];
      const open = ends.find((one) => one.branch === branch);
      return open ? [{ branch, items: [{ kind: 'end', end: open }] }] : [];
    });
    return [{ kind: 'step', step, transition, forks }];
  }

  function itemsBehind(transition: Transition): OutlineItem[] {
    const to = stepById.get(transition.toStepId);
    if (to === undefined) return [];
    return numberOf.has(to.id) ? [{ kind: 'jump', to, transition }] : itemsFrom(to, transition);
  }

  const trigger = graph.steps.find(({ type }) => type === 'TRIGGER');
  const items = trigger ? itemsFrom(trigger, null) : [];
  const loose: OutlineItem[][] = [];
  const hasPredecessor = new Set(graph.transitions.map(({ toStepId }) => toStepId));
  // First the entry steps of unconnected parts, then what is left: cycles.
  for (const isStart of [true, false]) {
    for (const step of graph.steps) {
      if (numberOf.has(step.id) || (isStart && hasPredecessor.has(step.id))) continue;
      loose.push(itemsFrom(step, null));
    }
  }
  return { items, loose, numberOf };
}

/** The path of one contact: the ids of steps and transitions. */
export interface Path {
  steps: ReadonlySet<string>;
  transitions: ReadonlySet<string>;
}

export function pathOf(graph: Graph, runs: Schema<'WorkflowExecutionWithSteps'>['steps']): Path {
  const trigger = graph.steps.find(({ type }) => type === 'TRIGGER');
  const steps = new Set(runs.map(({ stepId }) => stepId));
  const transitions = new Set<string>();
  const [first] = runs;
  if (trigger && first?.visit === 1) {
    steps.add(trigger.id);
    const transition = transitionBetween(graph, trigger.id, first.stepId, null);
    if (transition) transitions.add(transition.id);
  }
  for (const [at, run] of runs.entries()) {
    const next = runs[at + 1];
    const transition = next && transitionBetween(graph, run.stepId, next.stepId, run.branch);
    if (transition) transitions.add(transition.id);
  }
  return { steps, transitions };
}

function transitionBetween(
  graph: Graph,
  from: string,
  to: string,
  branch: string | null,
): Transition | undefined {
  const between = transitionsFrom(graph, from).filter(({ toStepId }) => toStepId === to);
  return (
    between.find((transition) => transition.branch === branch) ??
    between.find((transition) => transition.branch === null)
  );
}
