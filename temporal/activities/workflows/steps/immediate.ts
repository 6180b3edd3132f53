import type { Step } from '../../../../core/workflows/graph.ts';
import type { StepEnd } from '../../../../db/statements/workflows/step-runs.ts';
import { complete, enter, fail, type StepEffects, type StepHandler, type Walk } from './walk.ts';

/** A step that can't be done and would fail again; the message is shown to marketers. */
export class StepFailure extends Error {}

type Done = Pick<StepEnd, 'branch' | 'output' | 'error'> & Partial<Omit<StepEffects, 'endless'>>;

/**
 * Handler of a step that completes in the transaction that enters it. Only one that has failed is entered and open: when
 * its execution is retried.
 *
 * @param act throws `StepFailure` to end the execution
 */
export function immediate<S extends Step>(act: (walk: Walk, step: S) => Promise<Done>): StepHandler<S> {
  const run = async (walk: Walk, step: S, entered: () => Walk | Promise<Walk>) => {
    try {
      const { commandsInMs, journal = false, ...end } = await act(walk, step);
      walk.effects.commandsInMs = commandsInMs;
      walk.effects.journal = journal;
      return complete(await entered(), step, end);
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      return fail(await entered(), `${step.name}: ${error.message}`);
    }
  };
  return {
    enter: (walk, step) => run(walk, step, () => enter(walk, step)),
    check: (walk, step) => run(walk, step, () => walk),
  };
}
