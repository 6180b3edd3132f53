import type { StepOf } from '../../../../core/workflows/graph.ts';
import { enter, type StepHandler, standingAt } from './walk.ts';

export const webhook: StepHandler<StepOf<'WEBHOOK'>> = {
  async enter(walk, step) {
    return { follow: 'call', ...standingAt(await enter(walk, step), step) };
  },

  async check(walk, step) {
    return { follow: 'call', ...standingAt(walk, step) };
  },
};
