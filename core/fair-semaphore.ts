import { LRUCache } from 'lru-cache';
import { atMost } from './at-most.ts';

interface Entry {
  readonly owner: string;
  weight: number;
  state: 'waiting' | 'held' | 'over';
  heldSince: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** Permits that an owner holds or waits for. */
export interface Claim {
  readonly granted: Promise<void>;
  /** Whether the permits were granted at once. */
  readonly isHeld: boolean;
  /** Gives back all permits but so many. */
  shrinkTo(weight: number): void;
  /** Gives back the permits, or leaves the queue; `granted` then stays pending. Idempotent. */
  release(): void;
  /** Leaves the queue if it is still in there; `granted` then rejects with the reason. */
  giveUp(reason: unknown): void;
}

const rememberedMs = 60_000;

export interface FairSemaphoreOptions {
  /** Permits that one owner may hold, perhaps by those that are free. An owner without any may always take its first ones. */
  perOwner?: number | ((free: number) => number);
  /**
   * Owners with a permit that is held for longer, or was in the last minute, have at most half of the permits together, so
   * that work that waits for a lock does not hold up that of other owners. Unlimited by default.
   */
  slowMs?: number;
}

/**
 * Limits work in all and per owner. Owners that wait take turns, so that a busy one does not block the others, and one
 * owner's work stays in order.
 */
export class FairSemaphore {
  readonly capacity: number;
  #free: number;
  readonly #mostOf: (free: number) => number;
  readonly #slowMs: number | undefined;
  readonly #slow: LRUCache<string, true> | undefined;
  /** The order of the keys is the order of the owners' turns. */
  readonly #queues = new Map<string, Entry[]>();
  #waiting = 0;
  readonly #holds = new Set<Entry>();
  readonly #heldBy = new Map<string, number>();

  constructor(capacity: number, { perOwner = Number.POSITIVE_INFINITY, slowMs }: FairSemaphoreOptions = {}) {
    this.capacity = capacity;
    this.#free = capacity;
    this.#mostOf = typeof perOwner === 'number' ? () => perOwner : perOwner;
    this.#slowMs = slowMs;
    if (slowMs !== undefined) this.#slow = new LRUCache({ ...atMost(10_000), ttl: rememberedMs });
  }

  /**
   * @param wanted permits, capped at the capacity; later waiters do not overtake one that waits for several, unless its
   *   owner has its share
   */
  claim(owner: string, wanted = 1): Claim {
    const { promise: granted, resolve, reject } = Promise.withResolvers<void>();
    const weight = Math.min(wanted, this.capacity);
    const entry: Entry = { owner, weight, state: 'waiting', heldSince: 0, resolve, reject };
    this.#waiting += 1;
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, [entry]);
    else queue.push(entry);
    this.#startNext();
    return {
      granted,
      isHeld: entry.state === 'held',
      shrinkTo: (left) => this.#shrink(entry, left),
      release: () => (entry.state === 'held' ? this.#giveBack(entry) : this.#leave(entry)),
      giveUp: (reason) => {
        if (entry.state !== 'waiting') return;
        this.#leave(entry);
        reject(reason);
      },
    };
  }

  /**
   * Like `claim`, and waits until the permits are granted.
   *
   * @param signal ends the wait
   * @returns the release function; a second call does nothing
   * @throws the reason of `signal`
   */
  async acquire(owner: string, wanted = 1, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const claim = this.claim(owner, wanted);
    const giveUp = () => claim.giveUp(signal?.reason);
    signal?.addEventListener('abort', giveUp);
    try {
      await claim.granted;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
    return claim.release;
  }

  async run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(owner, 1, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether a call for one permit would not wait. */
  hasRoom(owner: string): boolean {
    return this.#queues.size === 0 && this.#free > 0 && !this.#isHeldBack(owner, 1);
  }

  get waitingOwners(): number {
    return this.#queues.size;
  }

  /** Calls that wait, of an owner or in all. */
  waiting(owner?: string): number {
    return owner === undefined ? this.#waiting : (this.#queues.get(owner)?.length ?? 0);
  }

  /** Permits that are held, by an owner or in all. */
  held(owner?: string): number {
    return owner === undefined ? this.capacity - this.#free : (this.#heldBy.get(owner) ?? 0);
  }

  #hold(owner: string, weight: number): void {
    this.#free -= weight;
    const held = this.held(owner) + weight;
    if (held === 0) this.#heldBy.delete(owner);
    else this.#heldBy.set(owner, held);
  }

  #shrink(entry: Entry, weight: number): void {
    if (entry.state !== 'held' || weight >= entry.weight) return;
    this.#hold(entry.owner, weight - entry.weight);
    entry.weight = weight;
    this.#startNext();
  }

  #giveBack(entry: Entry): void {
    if (this.#isLong(entry)) this.#slow?.set(entry.owner, true);
    this.#holds.delete(entry);
    this.#shrink(entry, 0);
    entry.state = 'over';
  }

  #leave(entry: Entry): void {
    if (entry.state !== 'waiting') return;
    entry.state = 'over';
    this.#waiting -= 1;
    const others = this.#queues.get(entry.owner)?.filter((each) => each !== entry) ?? [];
    if (others.length > 0) this.#queues.set(entry.owner, others);
    else this.#queues.delete(entry.owner);
    this.#startNext();
  }

  #isLong({ heldSince }: Entry): boolean {
    return this.#slowMs !== undefined && performance.now() - heldSince >= this.#slowMs;
  }

  #isSlow(owner: string): boolean {
    if (this.#slow === undefined) return false;
    return (
      this.#slow.has(owner) || [...this.#holds].some((hold) => hold.owner === owner && this.#isLong(hold))
    );
  }

  /** Whether the owner has its share, or is slow and the slow ones have their half. */
  #isHeldBack(owner: string, weight: number): boolean {
    const own = this.held(owner);
    if (own > 0 && own + weight > this.#mostOf(this.#free)) return true;
    if (!this.#isSlow(owner)) return false;
    const held = [...this.#holds].reduce(
      (sum, hold) => sum + (this.#isSlow(hold.owner) ? hold.weight : 0),
      0,
    );
    return held + weight > Math.ceil(this.capacity / 2);
  }

  /** Permits go straight to the next waiters, so that no later caller overtakes. */
  #startNext(): void {
    for (const [owner, queue] of this.#queues) {
      const [next] = queue;
      if (next === undefined || this.#isHeldBack(owner, next.weight)) continue;
      if (next.weight > this.#free) return;
      queue.shift();
      this.#waiting -= 1;
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      this.#hold(owner, next.weight);
      this.#holds.add(next);
      next.state = 'held';
      next.heldSince = performance.now();
      next.resolve();
    }
  }
}
