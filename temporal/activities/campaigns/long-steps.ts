import { availableParallelism } from 'node:os';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';

const usualAtOnce = Math.max(2, availableParallelism());
/** Longer than `localRetryThreshold` of the workflow, so that the delay is a timer; spread, so that not all come back together. */
const [shortestDelayMs, longestDelayMs] = [2_000, 4_000];
/** Within the time limit of the activity. */
const longestWaitMs = 20_000;

/**
 * Limits the steps of campaigns that take seconds: those of 15 campaigns would hold all slots of this process for workflow
 * tasks and local activities, which the executions of all projects need. A step beyond the limit fails and comes back later;
 * its workflow holds no slot meanwhile. Projects take turns: a project has at most half of the places, and leaves room to
 * those that were put off and have waited longer since their last turn.
 *
 * @param atOnce steps under way at a time; twice as many wait
 */
export function createLongSteps(atOnce = usualAtOnce) {
  const mostHeld = 3 * atOnce;
  const places = new FairSemaphore(atOnce);
  const projects = new Map<string, { held: number; own: FairSemaphore }>();
  const turnAt = new LRUCache<string, number>({ max: 10_000 });
  const putOff = new LRUCache<string, true>({ max: 10_000, ttl: longestDelayMs + 1_000 });
  let held = 0;
  let turns = 0;

  const lastTurn = (projectId: string) => turnAt.get(projectId) ?? 0;
  const countBefore = (projectId: string) =>
    [...putOff.keys()].filter((id) => lastTurn(id) < lastTurn(projectId)).length;

  /** @throws ApplicationFailure, to be tried again, when the step has to come back later */
  return async function run<Result>(projectId: string, step: () => Promise<Result>): Promise<Result> {
    const project = projects.get(projectId) ?? {
      held: 0,
      own: new FairSemaphore(Math.max(1, atOnce >> 1)),
    };
    if (project.held > project.own.capacity || held + countBefore(projectId) >= mostHeld) {
      putOff.set(projectId, true);
      throw comeBackLater();
    }
    putOff.delete(projectId);
    projects.set(projectId, project);
    project.held += 1;
    held += 1;
    const late = AbortSignal.timeout(longestWaitMs);
    const inTurn = () => {
      turns += 1;
      turnAt.set(projectId, turns);
      return step();
    };
    try {
      return await project.own.run('', () => places.run(projectId, inTurn, late), late);
    } catch (error) {
      throw error === late.reason ? comeBackLater() : error;
    } finally {
      held -= 1;
      project.held -= 1;
      if (project.held === 0) projects.delete(projectId);
    }
  };
}

const comeBackLater = () =>
  ApplicationFailure.create({
    message: 'Other campaigns have their turn',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.round(shortestDelayMs + Math.random() * (longestDelayMs - shortestDelayMs)),
  });
