import { z } from 'zod';
import { parseStoredConfig, type StepConfigs, type StepType, stepTypes } from './step-config.ts';

/** Ways out of a step that has two; null for the only way out. */
export const branches = ['yes', 'no', 'event', 'timeout'] as const;
export type Branch = (typeof branches)[number];

/** An arrow of a graph. */
export interface Transition {
  id: string;
  fromStepId: string;
  toStepId: string;
  branch: Branch | null;
}

/** A step as it is edited: its config has the right shape, and may lack what the step needs to run. */
export interface DraftStep {
  id: string;
  type: StepType;
  name: string;
  /** As it was sent (`parseStepConfig`). */
  config: Record<string, unknown>;
}

/** A graph as it is edited and stored. */
export interface DraftGraph {
  /** Of the event that starts an execution. */
  eventName: string;
  steps: DraftStep[];
  transitions: Transition[];
}

/** A step that can run; `type` tells which `config` it has. */
export type Step = {
  [T in StepType]: { id: string; type: T; name: string; config: StepConfigs[T] };
}[StepType];

/** A graph without faults, as executions walk it. */
export interface Graph {
  eventName: string;
  steps: Step[];
  transitions: Transition[];
}

/** The graph of a row of `workflow_versions`; what its steps need is looked at by `toGraph`. */
const draftGraphSchema: z.ZodType<DraftGraph> = z.object({
  eventName: z.string(),
  steps: z.array(
    z.object({
      id: z.string(),
      type: z.enum(stepTypes),
      name: z.string(),
      config: z.record(z.string(), z.unknown()),
    }),
  ),
  transitions: z.array(
    z.object({
      id: z.string(),
      fromStepId: z.string(),
      toStepId: z.string(),
      branch: z.enum(branches).nullable(),
    }),
  ),
});

/**
 * Reads the stored graph of a version. Only graphs without faults are stored.
 * @throws Error when it is none, or a step can't run: the row was written by something else
 */
export function parseGraph(stored: unknown): Graph {
  const { steps, ...graph } = draftGraphSchema.parse(stored);
  return { ...graph, steps: steps.map(toStep) };
}

function toStep({ id, type, name, config }: DraftStep): Step {
  const parsed = parseStoredConfig(type, config);
  if (!parsed.ok) throw new Error(`The stored config of step ${id} is of a wrong shape`);
  if (parsed.ready === undefined) throw new Error(`The stored config of step ${id} is incomplete`);
  // as: the config was parsed for this very type, which a union of pairs does not let TypeScript follow.
  return { id, type, name, config: parsed.ready } as Step;
}

/** Where executions begin. Its successor is the first step that does something. */
export function triggerOf<S extends { type: StepType }>({ steps }: { steps: readonly S[] }): S | undefined {
  return steps.find(({ type }) => type === 'TRIGGER');
}

export function findStep<S extends { id: string }>(
  { steps }: { steps: readonly S[] },
  id: string,
): S | undefined {
  return steps.find((step) => step.id === id);
}

/**
 * The step that follows: along the branch taken, or along the way without a branch, which serves every outcome.
 *
 * @param branch the outcome: `yes` or `no` of CONDITION, `event` or `timeout` of WAIT_FOR_EVENT
 * @returns undefined where the way ends: the execution is over
 */
export function nextStep<S extends { id: string }>(
  graph: { steps: readonly S[]; transitions: readonly Transition[] },
  stepId: string,
  branch: Branch | null = null,
): S | undefined {
  const ways = graph.transitions.filter(({ fromStepId }) => fromStepId === stepId);
  const taken = ways.find((way) => way.branch === branch) ?? ways.find((way) => way.branch === null);
  return taken && findStep(graph, taken.toStepId);
}
