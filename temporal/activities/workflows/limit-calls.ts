import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { crowdedRetryMs } from '../sending/render-turns.ts';
import { createCallLines } from './call-lines.ts';

/** Calls of a project, and of all projects, to receivers that answer quickly. */
const [quickAtOnce, quickInAll] = [12, 24];
/** Enough for several quick calls to end. A call that waits holds an activity slot. */
const longestWaitMs = 500;
/** The same for receivers that are slow, hang, or have not answered in the last minute. */
const [unprovenAtOnce, unprovenInAll] = [8, 20];
/** Calls that a project may always make, however many of others are under way. */
const ownCalls = 2;
const slowMs = 3_000;
/** How long a project's last quick and last slow call count. */
const rememberedMs = 60_000;

export type CallLimit = ReturnType<typeof createCallLimit>;

/**
 * Limits the calls of this process, by project, so that receivers that hang leave activity slots to other work. Calls to
 * quick receivers wait for each other, because calls that come back later cost more. Other calls beyond the limit form a
 * line: an earlier one may hold its place for ten seconds. Each call that ends wakes one execution, of projects in turn, and
 * some more while few calls to its quick receiver are under way, because other processes may make those that it wakes.
 *
 * @param wake makes the execution with this workflow run ask again; false if it is not running
 */
export function createCallLimit(wake: (temporalId: string) => Promise<boolean>) {
  const slow = createMemory();
  const quick = createMemory();
  const quickPlaces = new FairSemaphore(quickInAll);
  const projects = new Map<string, { calls: number; quickPlaces: FairSemaphore }>();
  const lines = createCallLines(wake);
  const isProven = (projectId: string) => quick.has(projectId) && !slow.has(projectId);

  function mayCall(projectId: string): boolean {
    if (isProven(projectId)) return true;
    const own = projects.get(projectId)?.calls ?? 0;
    const inAll = [...projects].reduce((sum, [id, { calls }]) => sum + (isProven(id) ? 0 : calls), 0);
    return own < ownCalls || (own < unprovenAtOnce && inAll < unprovenInAll);
  }

  const timed = createTimer(quick, slow);

  async function runQuick<Result>(projectId: string, call: () => Promise<Result>, late: AbortSignal) {
    const leave = await quickPlaces.acquire(projectId, 1, late);
    try {
      return await timed(projectId, call, leave);
    } finally {
      leave();
    }
  }

  function wakeSome(count: number): void {
    for (let n = 0; n < Math.max(1, count); n += 1) void lines.wakeNext(mayCall);
  }

  return {
    /** Whether `run` would make a call of the project now, or wait for a place. */
    mayCall,
    /** Puts a call that `run` did not make in its project's line. */
    putOff: lines.join,
    /**
     * Asked before a call becomes an activity, which costs more than to wait.
     *
     * @param since when the execution came to the step, unless it just has
     * @returns when it comes back if it has to wait in the line, unless it is woken before
     */
    putOffIfFull(projectId: string, temporalId: string, since?: Date): number | undefined {
      // An earlier one that was woken is on its way.
      const isBehind =
        since === undefined && !isProven(projectId) && projects.has(projectId) && lines.has(projectId);
      if (isBehind || !mayCall(projectId)) return crowdedRetryMs() + lines.join(projectId, temporalId, since);
      lines.leave(projectId, temporalId);
      return undefined;
    },
    /** @returns undefined, without the call, if enough of the project or of all are under way */
    async run<Result>(projectId: string, call: () => Promise<Result>): Promise<Result | undefined> {
      if (!mayCall(projectId)) return undefined;
      const project = projects.get(projectId) ?? { calls: 0, quickPlaces: new FairSemaphore(quickAtOnce) };
      projects.set(projectId, project);
      project.calls += 1;
      const late = AbortSignal.timeout(longestWaitMs);
      let isMade = true;
      try {
        if (!isProven(projectId)) return await timed(projectId, call);
        return await project.quickPlaces.run('', () => runQuick(projectId, call, late), late);
      } catch (error) {
        if (error !== late.reason) throw error;
        isMade = false;
        return undefined;
      } finally {
        project.calls -= 1;
        if (project.calls === 0) projects.delete(projectId);
        if (isMade) wakeSome(isProven(projectId) ? quickAtOnce / 2 - project.calls : 1);
      }
    },
  };
}

function createTimer(quick: Memory, slow: Memory) {
  /** @param leave called when the call turns out to be slow */
  return async <Result>(
    projectId: string,
    call: () => Promise<Result>,
    leave?: () => void,
  ): Promise<Result> => {
    let duration = quick;
    // While it is under way, because it may hang.
    const timer = setTimeout(() => {
      duration = slow;
      slow.note(projectId);
      leave?.();
    }, slowMs);
    try {
      return await call();
    } finally {
      clearTimeout(timer);
      duration.note(projectId);
    }
  };
}

type Memory = ReturnType<typeof createMemory>;

function createMemory() {
  const notedAt = new LRUCache<string, number>({ max: 10_000 });
  return {
    note: (projectId: string) => notedAt.set(projectId, performance.now()),
    has: (projectId: string) => performance.now() - (notedAt.get(projectId) ?? -Infinity) < rememberedMs,
  };
}
