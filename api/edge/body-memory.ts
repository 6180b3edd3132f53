import { DomainError } from '../../core/errors.ts';

export interface BodyMemoryOptions {
  /** Bytes of request bodies that are held at once. */
  budgetBytes: number;
  /** Most of them for the bodies of one owner. */
  bytesPerOwner: number;
  /** Most bodies of one owner that wait for memory. */
  waitingPerOwner: number;
  /** Most bodies that wait altogether. */
  waiting: number;
  waitMs: number;
}

export interface BodyClaim {
  /** Settles when the memory may be used; rejects with `SERVICE_UNAVAILABLE` when too many wait, or for too long. */
  granted: Promise<void>;
  /** The body turned out to be smaller. */
  shrinkTo(bytes: number): void;
  /** Gives the memory back, or the place among those that wait; further calls do nothing. */
  release(): void;
}

export interface BodyMemory {
  /** @param owner whose bodies take turns with those of others */
  claim(owner: string, bytes: number): BodyClaim;
  /** Bodies that wait for memory that others hold. */
  readonly waiting: number;
}

interface Entry {
  readonly owner: string;
  bytes: number;
  state: 'waiting' | 'held' | 'over';
  timer: NodeJS.Timeout | undefined;
  resolve: () => void;
}

/** Each refused body is sent for nothing: the more wait, the later the next try. */
const retryAfterSeconds = (waiting: number) => 5 + Math.ceil(waiting / 20);

/**
 * The memory that large request bodies of a process share, from their arrival to their answer. When it is used up
 * they wait: owners take turns, and the bodies of an owner come in their order. An owner gets a part of it only, so
 * that another's body finds room at once.
 */
export function createBodyMemory(options: BodyMemoryOptions): BodyMemory {
  const held = new Map<string, number>();
  /** Bodies that wait, by owner, in the order of the owners' turns. */
  const queues = new Map<string, Entry[]>();
  let heldBytes = 0;
  let waiting = 0;

  function hold(owner: string, bytes: number): void {
    heldBytes += bytes;
    const owned = (held.get(owner) ?? 0) + bytes;
    if (owned === 0) held.delete(owner);
    else held.set(owner, owned);
  }

  // A body that is larger than the whole comes alone.
  const fits = (used: number, bytes: number, most: number) => used === 0 || used + bytes <= most;

  /** The body whose turn it is, if there is memory for it. */
  function next(): Entry | undefined {
    for (const [owner, [first]] of queues) {
      if (first === undefined || !fits(held.get(owner) ?? 0, first.bytes, options.bytesPerOwner)) continue;
      // No other passes it: a large body would never find enough memory free.
      return fits(heldBytes, first.bytes, options.budgetBytes) ? first : undefined;
    }
    return undefined;
  }

  /** Takes a body out of its queue; its owner's next turn is after those of all others. */
  function dequeue(entry: Entry): void {
    const left = queues.get(entry.owner)?.filter((each) => each !== entry) ?? [];
    queues.delete(entry.owner);
    if (left.length > 0) queues.set(entry.owner, left);
    clearTimeout(entry.timer);
    waiting -= 1;
  }

  function serve(): void {
    for (let entry = next(); entry !== undefined; entry = next()) {
      dequeue(entry);
      hold(entry.owner, entry.bytes);
      entry.state = 'held';
      entry.resolve();
    }
  }

  function shrink(entry: Entry, bytes: number): void {
    if (entry.state !== 'held' || bytes >= entry.bytes) return;
    hold(entry.owner, bytes - entry.bytes);
    entry.bytes = bytes;
    serve();
  }

  function release(entry: Entry): void {
    if (entry.state === 'held') shrink(entry, 0);
    if (entry.state === 'waiting') {
      dequeue(entry);
      serve();
    }
    entry.state = 'over';
  }

  return {
    claim(owner, bytes) {
      const { promise: granted, resolve, reject } = Promise.withResolvers<void>();
      const entry: Entry = { owner, bytes, state: 'waiting', timer: undefined, resolve };
      const queue = queues.get(owner) ?? [];
      queue.push(entry);
      queues.set(owner, queue);
      waiting += 1;
      serve();
      if (entry.state === 'waiting') {
        const refuse = () => {
          release(entry);
          reject(tooManyLarge(waiting));
        };
        if (waiting > options.waiting || queue.length > options.waitingPerOwner) refuse();
        else entry.timer = setTimeout(refuse, options.waitMs);
      }
      return {
        granted,
        shrinkTo: (smaller) => shrink(entry, smaller),
        release: () => release(entry),
      };
    },
    get waiting() {
      return waiting;
    },
  };
}

/** @param waiting bodies that wait for memory */
export function tooManyLarge(waiting: number): DomainError {
  const seconds = retryAfterSeconds(waiting);
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many large requests at once', {
    suggestion: `Try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
}
