import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { comeBackLater } from '../come-back-later.ts';

const usualAtOnce = Math.max(2, availableParallelism());
/** Longer than `localRetryThreshold` of the workflow, so that the delay is a timer. */
const [shortestDelayMs, longestDelayMs] = [2_000, 4_000];
/** Within the time limit of the activity. */
const longestWaitMs = 20_000;

const othersTurn = () => comeBackLater('Other campaigns have their turn', shortestDelayMs, longestDelayMs);

/**
 * Limits the steps of campaigns that take seconds: those of 20 campaigns would hold all slots of this process for the local
 * activities of jobs. A step beyond the limit fails and comes back later; its workflow holds no slot meanwhile. Projects take
 * turns: a project has at most half of the places, and leaves room to those that were put off and have waited longer since
 * their last turn.
 *
 * @param atOnce steps under way at a time; twice as many wait
 */
export function createLongStepLimit(atOnce = usualAtOnce) {
  const mostAsked = 3 * atOnce;
  const perProject = Math.max(1, atOnce >> 1);
  const places = new FairSemaphore(atOnce, { perOwner: perProject });
  const turnAt = new LRUCache<string, number>({ max: 10_000 });
  const putOff = new LRUCache<string, true>({ max: 10_000, ttl: longestDelayMs + 1_000 });
  let turns = 0;

  /** Steps that are under way or wait. */
  const asked = (projectId?: string) => places.held(projectId) + places.waiting(projectId);
  const lastTurn = (projectId: string) => turnAt.get(projectId) ?? 0;
  const countBefore = (projectId: string) =>
    [...putOff.keys()].filter((id) => lastTurn(id) < lastTurn(projectId)).length;

  /** @throws ApplicationFailure, to be tried again, when the step has to come back later */
  return async function run<Result>(projectId: string, step: () => Promise<Result>): Promise<Result> {
    if (asked(projectId) > perProject || asked() + countBefore(projectId) >= mostAsked) {
      putOff.set(projectId, true);
      throw othersTurn();
    }
    putOff.delete(projectId);
    const late = AbortSignal.timeout(longestWaitMs);
    const inTurn = () => {
      turns += 1;
      turnAt.set(projectId, turns);
      return step();
    };
    try {
      return await places.run(projectId, inTurn, late);
    } catch (error) {
      throw error === late.reason ? othersTurn() : error;
    }
  };
}
