import { DomainError } from '../../core/errors.ts';

export const mebibyte = 1024 * 1024;

/** The largest body allowed fits into an owner's share. */
const usualOptions = {
  budgetBytes: 96 * mebibyte,
  bytesPerOwner: 48 * mebibyte,
  waitingPerOwner: 250,
  waiting: 500,
  waitMs: 30_000,
  /** For memory that is held for minutes: an owner takes no more than it leaves to others. */
  leavesRoom: false,
};

export type BodyMemoryOptions = typeof usualOptions;

export interface BodyClaim {
  /** Resolves once the memory is granted; rejects with `SERVICE_UNAVAILABLE` when too many bodies wait, or too long. */
  granted: Promise<void>;
  /** Whether the memory was granted at once. */
  isHeld: boolean;
  shrinkTo(bytes: number): void;
  /** Frees the memory, or leaves the queue. Idempotent. */
  release(): void;
}

interface Entry {
  readonly owner: string;
  bytes: number;
  state: 'waiting' | 'held' | 'over';
  timer: NodeJS.Timeout | undefined;
  resolve: () => void;
}

// A refused body wasted its transfer: the longer the queue, the later the retry.
const retryAfterSeconds = (waiting: number) => 5 + Math.ceil(waiting / 20);

// A body larger than the limit is held alone.
const fits = (used: number, bytes: number, most: number) => used === 0 || used + bytes <= most;

/**
 * The memory that the large request bodies of a process share until they are answered. When it is used up, bodies
 * queue: owners take turns, and each owner's bodies stay in order. No owner may hold the whole budget, so that one
 * heavy owner does not block the others.
 */
export class BodyMemory {
  waiting = 0;
  private heldBytes = 0;
  private readonly held = new Map<string, number>();
  // Waiting bodies; the order of the keys is the order of the owners' turns.
  private readonly queues = new Map<string, Entry[]>();
  private readonly options: BodyMemoryOptions;

  constructor(options: Partial<BodyMemoryOptions> = {}) {
    this.options = { ...usualOptions, ...options };
  }

  claim(owner: string, bytes: number): BodyClaim {
    const { promise: granted, resolve, reject } = Promise.withResolvers<void>();
    const entry: Entry = { owner, bytes, state: 'waiting', timer: undefined, resolve };
    const queue = this.queues.get(owner) ?? [];
    queue.push(entry);
    this.queues.set(owner, queue);
    this.waiting += 1;
    this.serve();
    if (entry.state === 'waiting') {
      const refuse = () => {
        this.release(entry);
        reject(tooManyLarge(this.waiting));
      };
      if (this.waiting > this.options.waiting || queue.length > this.options.waitingPerOwner) refuse();
      else entry.timer = setTimeout(refuse, this.options.waitMs);
    }
    return {
      granted,
      isHeld: entry.state === 'held',
      shrinkTo: (smaller) => this.shrink(entry, smaller),
      release: () => this.release(entry),
    };
  }

  private serve(): void {
    for (let entry = this.next(); entry !== undefined; entry = this.next()) {
      this.dequeue(entry);
      this.hold(entry.owner, entry.bytes);
      entry.state = 'held';
      entry.resolve();
    }
  }

  private next(): Entry | undefined {
    const { bytesPerOwner, budgetBytes, leavesRoom } = this.options;
    const most = leavesRoom ? Math.min(bytesPerOwner, budgetBytes - this.heldBytes) : bytesPerOwner;
    for (const [owner, [first]] of this.queues) {
      if (first === undefined || !fits(this.held.get(owner) ?? 0, first.bytes, most)) continue;
      // Nothing overtakes it, or a large body would starve.
      return fits(this.heldBytes, first.bytes, budgetBytes) ? first : undefined;
    }
    return undefined;
  }

  // Also moves the owner to the back of the line.
  private dequeue(entry: Entry): void {
    const left = this.queues.get(entry.owner)?.filter((each) => each !== entry) ?? [];
    this.queues.delete(entry.owner);
    if (left.length > 0) this.queues.set(entry.owner, left);
    clearTimeout(entry.timer);
    this.waiting -= 1;
  }

  private hold(owner: string, bytes: number): void {
    this.heldBytes += bytes;
    const owned = (this.held.get(owner) ?? 0) + bytes;
    if (owned === 0) this.held.delete(owner);
    else this.held.set(owner, owned);
  }

  private shrink(entry: Entry, bytes: number): void {
    if (entry.state !== 'held' || bytes >= entry.bytes) return;
    this.hold(entry.owner, bytes - entry.bytes);
    entry.bytes = bytes;
    this.serve();
  }

  private release(entry: Entry): void {
    if (entry.state === 'held') this.shrink(entry, 0);
    if (entry.state === 'waiting') {
      this.dequeue(entry);
      this.serve();
    }
    entry.state = 'over';
  }
}

export function tooManyLarge(waiting: number): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many large requests at once', {
    retryAfterSeconds: retryAfterSeconds(waiting),
  });
}

/** Bodies up to this size skip the shared budget, as most requests do. */
export const smallBytes = 128 * 1024;
/**
 * The body memory of this process. A body takes about three times its size while it is parsed and twice its size until
 * it is written.
 */
export const bodyMemory = new BodyMemory();

/** While others wait for memory, at least so much of a body or of a streamed answer passes in each `paceMs`. */
export const slowestBytes = 128 * 1024;
export const paceMs = 2_000;

/** At this pace a body arrives within 20 seconds. Those that wait for memory give up after 30. */
const slowestPart = 1 / 10;

/**
 * Gives up on a body that holds memory but arrives too slowly while others wait for memory.
 *
 * @param bytes the memory that it holds
 * @param received the number of bytes so far
 * @returns a function that ends the watch
 */
export function watchPace(
  bytes: number,
  received: () => number,
  giveUp: (error: DomainError) => void,
): () => void {
  const least = Math.max(slowestBytes, bytes * slowestPart);
  let before = received();
  const pace = setInterval(() => {
    if (bodyMemory.waiting > 0 && received() - before < least) giveUp(tooManyLarge(bodyMemory.waiting));
    before = received();
  }, paceMs);
  return () => clearInterval(pace);
}
