import { z } from 'zod';
import {
  parseStoredConfig,
  type StepConfigs,
  type StepType,
  stepTypes,
  templateIdOf,
} from './step-config.ts';

export const branches = ['yes', 'no', 'event', 'timeout'] as const;
export type Branch = (typeof branches)[number];

const draftGraphSchema = z.object({
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

export type DraftGraph = z.output<typeof draftGraphSchema>;
export type DraftStep = DraftGraph['steps'][number];
export type Transition = DraftGraph['transitions'][number];

export type Step = {
  [T in StepType]: { id: string; type: T; name: string; config: StepConfigs[T] };
}[StepType];

export type StepOf<T extends StepType> = Extract<Step, { type: T }>;

export interface Graph {
  eventName: string;
  steps: Step[];
  transitions: Transition[];
}

/** Parses the stored graph of a version without the configs of its steps, which takes long. @throws ZodError */
export const parseDraft = (stored: unknown): DraftGraph => draftGraphSchema.parse(stored);

/**
 * Parses the stored graph of a version. Only graphs without faults are stored; the config of a step throws an Error if it
 * is of a wrong shape after all.
 *
 * @throws ZodError
 */
export function parseGraph(stored: unknown): Graph {
  const { steps, ...graph } = parseDraft(stored);
  return { ...graph, steps: steps.map(toStep) };
}

/** Its config is parsed when it is first read: an execution uses a few of the steps, and all may take a tenth of a second. */
function toStep(step: DraftStep): Step {
  const { id, type, name } = step;
  let config: Step['config'] | undefined;
  const lazy = {
    id,
    type,
    name,
    get config() {
      config ??= readConfig(step);
      return config;
    },
  };
  // as: the config is parsed for this type, which TypeScript can't follow in a union of pairs.
  return lazy as Step;
}

function readConfig({ id, type, config }: DraftStep): Step['config'] {
  const parsed = parseStoredConfig(type, config);
  if (!parsed.ok) throw new Error(`The stored config of step ${id} is of a wrong shape`);
  if (parsed.ready === undefined) throw new Error(`The stored config of step ${id} is incomplete`);
  return parsed.ready;
}

export function templateIdsOf({ steps }: Pick<DraftGraph, 'steps'>): string[] {
  const ids = steps.map(({ type, config }) => templateIdOf(type, config));
  return [...new Set(ids.filter((id) => id !== null))];
}

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
 * Follows the transition of the branch, or the one without a branch, which serves every outcome.
 *
 * @param branch the outcome of CONDITION or WAIT_FOR_EVENT
 * @returns undefined where the path ends: the execution is over
 */
export function nextStep<S extends { id: string }>(
  graph: { steps: readonly S[]; transitions: readonly Transition[] },
  stepId: string,
  branch: Branch | null = null,
): S | undefined {
  const outgoing = graph.transitions.filter(({ fromStepId }) => fromStepId === stepId);
  const taken =
    outgoing.find((transition) => transition.branch === branch) ??
    outgoing.find((transition) => transition.branch === null);
  return taken && findStep(graph, taken.toStepId);
}
