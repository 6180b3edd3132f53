import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

interface Waiting {
  weight: number;
  start: () => void;
}

interface Hold {
  owner: string;
  weight: number;
  since: number;
}

const rememberedMs = 60_000;

export interface FairSemaphoreOptions {
  /**
   * Owners with a permit that is held for longer, or was in the last minute, have at most half of the permits together, so
   * that work that waits for a lock does not hold up that of other owners. Unlimited by default.
   */
  slowMs?: number;
}

/** A semaphore whose waiters take turns by owner, so that a busy owner does not block the others. */
export class FairSemaphore {
  readonly #capacity: number;
  #free: number;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #slowMs: number | undefined;
  readonly #holds = new Set<Hold>();
  readonly #slow: LRUCache<string, true> | undefined;

  constructor(capacity: number, { slowMs }: FairSemaphoreOptions = {}) {
    this.#capacity = capacity;
    this.#free = capacity;
    this.#slowMs = slowMs;
    if (slowMs !== undefined) this.#slow = new LRUCache({ ...atMost(10_000), ttl: rememberedMs });
  }

  /**
   * @param owner owners take turns, however many permits each waits for; one owner's work stays in order
   * @param wanted permits, capped at the capacity; later waiters do not overtake one that waits for several
   * @param signal ends the wait
   * @returns the release function; a second call does nothing
   * @throws the reason of `signal`
   */
  async acquire(owner: string, wanted = 1, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const weight = Math.min(wanted, this.#capacity);
    const isNext = this.#queues.size === 0 && weight <= this.#free && !this.#isHeldBack(owner, weight);
    const hold = isNext ? this.#take(owner, weight) : await this.#wait(owner, weight, signal);
    return () => this.#giveBack(hold);
  }

  async run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(owner, 1, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  get capacity(): number {
    return this.#capacity;
  }

  get isIdle(): boolean {
    return this.#free === this.#capacity;
  }

  /** Whether a call for one permit would not wait. */
  hasRoom(owner: string): boolean {
    return this.#queues.size === 0 && this.#free > 0 && !this.#isHeldBack(owner, 1);
  }

  get waitingOwners(): number {
    return this.#queues.size;
  }

  waiting(owner?: string): number {
    if (owner !== undefined) return this.#queues.get(owner)?.length ?? 0;
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  #take(owner: string, weight: number): Hold {
    const hold = { owner, weight, since: performance.now() };
    this.#free -= weight;
    this.#holds.add(hold);
    return hold;
  }

  #giveBack(hold: Hold): void {
    if (!this.#holds.has(hold)) return;
    if (this.#isLong(hold)) this.#slow?.set(hold.owner, true);
    this.#holds.delete(hold);
    this.#free += hold.weight;
    this.#startNext();
  }

  #isLong({ since }: Hold): boolean {
    return this.#slowMs !== undefined && performance.now() - since >= this.#slowMs;
  }

  #isSlow(owner: string): boolean {
    if (this.#slow === undefined) return false;
    return (
      this.#slow.has(owner) || [...this.#holds].some((hold) => hold.owner === owner && this.#isLong(hold))
    );
  }

  /** Whether slow owners have their half, and this is one. */
  #isHeldBack(owner: string, weight: number): boolean {
    if (!this.#isSlow(owner)) return false;
    const held = [...this.#holds].reduce(
      (sum, hold) => sum + (this.#isSlow(hold.owner) ? hold.weight : 0),
      0,
    );
    return held + weight > Math.ceil(this.#capacity / 2);
  }

  async #wait(owner: string, weight: number, signal: AbortSignal | undefined): Promise<Hold> {
    const { promise, resolve, reject } = Promise.withResolvers<Hold>();
    const waiting = { weight, start: () => resolve(this.#take(owner, weight)) };
    const leave = () => {
      this.#remove(owner, waiting);
      reject(signal?.reason);
    };
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, [waiting]);
    else queue.push(waiting);
    signal?.addEventListener('abort', leave);
    // Those before it may all be held back.
    this.#startNext();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #remove(owner: string, waiting: Waiting): void {
    const queue = this.#queues.get(owner);
    const at = queue?.indexOf(waiting) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.#startNext();
  }

  /** Permits go straight to the next waiters, so that no later caller overtakes. */
  #startNext(): void {
    for (const [owner, queue] of this.#queues) {
      const [next] = queue;
      if (next !== undefined && this.#isHeldBack(owner, next.weight)) continue;
      if (next !== undefined && next.weight > this.#free) return;
      queue.shift();
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      next?.start();
    }
  }
}
