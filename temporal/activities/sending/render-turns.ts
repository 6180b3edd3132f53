import { setTimeout as delay, setImmediate as yieldToLoop } from 'node:timers/promises';
import { FairSemaphore } from '../../../core/fair-semaphore.ts';

/** Wall-clock time of a long rendering. */
const longMs = 25;
/** Two long renderings within this time make their project slow, for this long after the last one. */
const memoryMs = 10_000;
/** A slow project renders this long before the next one gets its turn, and before its emails leave. */
const turnMs = 500;
/** What a slow project claims at a time: it renders within seconds, well within the lease of the claim. */
const slowEmails = 10;
/** Waiting claims hold activity slots, which other projects need. */
const mostWaiting = 10;

/** When to try again while enough emails of the project wait for its turn; spread, so that few runs come in vain. */
export const crowdedRetryMs = () => 5_000 * (1 + Math.random());

/**
 * Rendering blocks the event loop, and a template may take a tenth of a second. Projects whose templates are slow
 * therefore render one at a time, in turns, with rests between renderings; all others render immediately. One instance
 * per event loop.
 */
export class RenderTurns {
  readonly #restsPerWork: number;
  readonly #lane = new FairSemaphore(1);
  /** By project: when it rendered long the last time, and until when it is slow. */
  readonly #long = new Map<string, { at: number; slowUntil: number }>();

  /** @param restsPerWork how long the event loop is free after a long rendering, as a multiple of its time */
  constructor(restsPerWork: number) {
    this.#restsPerWork = restsPerWork;
  }

  isSlow(projectId: string): boolean {
    const long = this.#long.get(projectId);
    return long !== undefined && long.slowUntil > performance.now();
  }

  /** @returns how many of `wanted` emails to claim at a time */
  claimSize(projectId: string, wanted: number): number {
    return this.isSlow(projectId) ? Math.min(wanted, slowEmails) : wanted;
  }

  /** Whether enough emails of the project wait for its turn already. */
  isCrowded(projectId: string): boolean {
    return this.#lane.waiting(projectId) >= mostWaiting;
  }

  async take(projectId: string): Promise<RenderTurn> {
    const release = this.isSlow(projectId) ? await this.#lane.acquire(projectId) : undefined;
    let usedMs = 0;
    let restMs = 0;
    return {
      isOver: () => (release === undefined ? this.isSlow(projectId) : usedMs >= turnMs),
      note: (renderingMs) => {
        usedMs += renderingMs;
        if (renderingMs < longMs) return;
        restMs += renderingMs * this.#restsPerWork;
        this.#noteLong(projectId);
      },
      async pause() {
        const ms = restMs;
        restMs = 0;
        await (ms > 0 ? delay(ms) : yieldToLoop());
      },
      end: () => {
        if (release !== undefined) setTimeout(release, restMs);
      },
    };
  }

  /** Runs one rendering in a turn of its own. */
  async run<Result>(projectId: string, render: () => Result): Promise<Result> {
    await yieldToLoop();
    const turn = await this.take(projectId);
    const startedAt = performance.now();
    try {
      return render();
    } finally {
      turn.note(performance.now() - startedAt);
      turn.end();
    }
  }

  #noteLong(projectId: string): void {
    const now = performance.now();
    for (const [id, { at }] of this.#long) if (at < now - memoryMs) this.#long.delete(id);
    const slowUntil = this.#long.has(projectId) ? now + memoryMs : 0;
    this.#long.set(projectId, { at: now, slowUntil });
  }
}

export interface RenderTurn {
  /** Whether what is left has to wait for the project's next turn. */
  isOver(): boolean;
  note(renderingMs: number): void;
  /** Lets the event loop do other work between two renderings. */
  pause(): Promise<void>;
  end(): void;
}
