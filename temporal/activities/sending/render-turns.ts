import { setTimeout as delay, setImmediate as yieldToLoop } from 'node:timers/promises';
import { cpuMsSince } from '../../../core/cpu-time.ts';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';

/** CPU time, so that a busy machine makes nobody slow. */
const longMs = 25;
/** This many long renderings, each within `memoryMs` of the one before, make a project slow until they are forgotten. */
const mostLong = 3;
const memoryMs = 10_000;
/** Once the renderings of all projects have blocked the event loop for this long, it does other work. */
const longestBlockMs = 15;
/** A slow project renders this long before the next one gets its turn, and before its emails leave. */
const turnMs = 500;
/** What a slow project claims at a time: it renders within seconds, well within the lease of the claim. */
export const slowEmails = 10;
/** Waiting claims and calls hold activity slots, which other projects need. Waiting projects share these places. */
const mostWaiting = 10;

/** Delay before the next try while the project is crowded. Random, so that its runs do not all return at once. */
export const crowdedRetryMs = () => 5_000 * (1 + Math.random());

export type RenderTurn = Awaited<ReturnType<RenderTurns['take']>>;

/**
 * Rendering blocks the event loop, and a template may take a tenth of a second. Projects whose templates are slow
 * therefore render one at a time, in turns, with rests between renderings; all others render immediately. One instance
 * per event loop.
 */
export class RenderTurns {
  readonly #restsPerWork: () => number;
  readonly #lane = new FairSemaphore(1);
  /** Renderings that wait for the event loop: hundreds that all went on in its next turn would block it for seconds. */
  readonly #nextLoop = new FairSemaphore(1);
  /** How long renderings have blocked this turn of the event loop. */
  #blockedMs = 0;
  #unblocked = Promise.resolve();
  /** The long renderings of projects that had one within `memoryMs`. */
  readonly #long = new Map<string, { count: number; lastAt: number }>();

  /** @param restsPerWork how long the event loop is free after a long rendering, as a multiple of its time */
  constructor(restsPerWork: number | (() => number)) {
    this.#restsPerWork = typeof restsPerWork === 'number' ? () => restsPerWork : restsPerWork;
  }

  isSlow(projectId: string): boolean {
    const long = this.#long.get(projectId);
    return long !== undefined && long.count >= mostLong && performance.now() - long.lastAt < memoryMs;
  }

  /** Whether enough of the project's work waits for its turn already. */
  isCrowded(projectId: string): boolean {
    return this.#lane.waiting(projectId) >= Math.max(1, mostWaiting / this.#lane.waitingOwners);
  }

  /** @returns undefined if the project is crowded */
  async takeUnlessCrowded(projectId: string): Promise<RenderTurn | undefined> {
    await yieldToLoop();
    return this.isSlow(projectId) && this.isCrowded(projectId) ? undefined : this.take(projectId);
  }

  /** Runs other long work of a project, which is slow from now on, in its turn. */
  async runLong<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    this.#noteLong(projectId, mostLong);
    const release = await this.#lane.acquire(projectId);
    try {
      return await work();
    } finally {
      this.#noteLong(projectId, mostLong);
      release();
    }
  }

  async take(projectId: string) {
    const release = this.isSlow(projectId) ? await this.#lane.acquire(projectId) : undefined;
    let [usedMs, restMs] = [0, 0];
    let cpuBefore: NodeJS.CpuUsage | undefined;
    /** Lets the event loop do other work. */
    const pause = async () => {
      if (restMs > 0) await delay(restMs);
      else if (this.#isBlocked()) await this.#nextLoop.run(projectId, () => this.#waitForLoop());
      else await yieldToLoop();
      [restMs, cpuBefore] = [0, undefined];
    };
    return {
      /** Whether what is left has to wait for the project's next turn. */
      isOver: () => (release === undefined ? this.isSlow(projectId) : usedMs >= turnMs),
      /** Runs one rendering. */
      render: <Result>(work: () => Result): Result => {
        cpuBefore ??= process.threadCpuUsage();
        const startedAt = performance.now();
        try {
          return work();
        } finally {
          const ms = performance.now() - startedAt;
          usedMs += ms;
          this.#noteBlocked(ms);
          const cpuMs = ms < longMs ? 0 : cpuMsSince(cpuBefore);
          if (cpuMs >= longMs) {
            restMs = cpuMs * this.#restsPerWork();
            this.#noteLong(projectId);
          }
        }
      },
      /** Whether renderings have blocked the event loop long enough. Ask right before each: others may render meanwhile. */
      mustPause: () => restMs > 0 || this.#isBlocked(),
      pause,
      end: () => {
        if (release !== undefined) setTimeout(release, restMs);
      },
    };
  }

  #isBlocked(): boolean {
    return this.#blockedMs >= longestBlockMs;
  }

  /** Ends as soon as the turn of the loop is over that others have blocked, before new calls can block the next one. */
  async #waitForLoop(): Promise<void> {
    do await (this.#isBlocked() ? this.#unblocked : yieldToLoop());
    while (this.#isBlocked());
  }

  #noteBlocked(ms: number): void {
    if (this.#blockedMs === 0) {
      this.#unblocked = yieldToLoop().then(() => {
        this.#blockedMs = 0;
      });
    }
    this.#blockedMs += ms;
  }

  #noteLong(projectId: string, times = 1): void {
    const now = performance.now();
    for (const [id, { lastAt }] of this.#long) if (now - lastAt > memoryMs) this.#long.delete(id);
    this.#long.set(projectId, { count: (this.#long.get(projectId)?.count ?? 0) + times, lastAt: now });
  }
}
