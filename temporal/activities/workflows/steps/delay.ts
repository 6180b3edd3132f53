import { pauseOf } from '../../../../core/workflows/endless.ts';
import type { StepOf } from '../../../../core/workflows/graph.ts';
import { complete, enter, type StepHandler, standingAt } from './walk.ts';

export const delay: StepHandler<StepOf<'DELAY'>> = {
  async enter(walk, step) {
    const { ms } = step.config;
    const entered = await enter(walk, step, ms);
    return { follow: 'sleep', ...standingAt(entered, step), ms };
  },

  async check(walk, step) {
    const ms = walk.execution.resumesInMs;
    if (ms !== null && ms > 0) return { follow: 'sleep', ...standingAt(walk, step), ms };
    return complete(walk, step, { pause: pauseOf(step.config.ms) });
  },
};
