interface Waiting {
  weight: number;
  start: () => void;
}

/** A semaphore whose waiters take turns by owner, so that a busy owner does not block the others. */
export class FairSemaphore {
  readonly #capacity: number;
  #free: number;
  readonly #queues = new Map<string, Waiting[]>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
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
    if (this.#queues.size === 0 && weight <= this.#free) this.#free -= weight;
    else await this.#wait(owner, weight, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += weight;
      this.#startNext();
    };
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
  get hasRoom(): boolean {
    return this.#queues.size === 0 && this.#free > 0;
  }

  get waitingOwners(): number {
    return this.#queues.size;
  }

  waiting(owner?: string): number {
    if (owner !== undefined) return this.#queues.get(owner)?.length ?? 0;
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  async #wait(owner: string, weight: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const waiting = { weight, start };
    const leave = () => {
      this.#remove(owner, waiting);
      reject(signal?.reason);
    };
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, [waiting]);
    else queue.push(waiting);
    signal?.addEventListener('abort', leave);
    try {
      await promise;
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
      if (next !== undefined && next.weight > this.#free) return;
      queue.shift();
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      if (next === undefined) continue;
      this.#free -= next.weight;
      next.start();
    }
  }
}
