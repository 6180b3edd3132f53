import type { Step } from '../../../../core/workflows/graph.ts';
import type { StepEnd } from '../../../../db/statements/workflows/step-runs.ts';
import { complete, enter, fail, type StepEffects, type StepHandler, type Walk } from './walk.ts';

/** A step that can't be done and would fail again; the message is shown to marketers. */
export class StepFailure extends Error {}

type Done = Pick<StepEnd, 'branch' | 'output' | 'error'> & Partial<Omit<StepEffects, 'endless'>>;

/**
 * Handler of a step that completes in the transaction that enters it.
 *
 * @param act throws `StepFailure` to end the execution
 */
export function immediate<S extends Step>(act: (walk: Walk, step: S) => Promise<Done>): StepHandler<S> {
  return {
    async enter(walk, step) {
      try {
        const { commandsInMs, journal = false, ...end } = await act(walk, step);
        walk.effects.commandsInMs = commandsInMs;
        walk.effects.journal = journal;
        return complete(await enter(walk, step), step, end);
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        return fail(await enter(walk, step), `${step.name}: ${error.message}`);
      }
    },
  };
}
