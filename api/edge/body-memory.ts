import { DomainError } from '../../core/errors.ts';
import { type Claim, FairSemaphore } from '../../core/fair-semaphore.ts';

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

// A refused body wasted its transfer: the longer the queue, the later the retry.
const retryAfterSeconds = (waiting: number) => 5 + Math.ceil(waiting / 20);

/**
 * The memory that the large request bodies of a process share until they are answered. When it is used up, bodies
 * queue in turns of their owners. No owner may hold the whole budget, so that one heavy owner does not block the others.
 * A body larger than the limit is held alone.
 */
export class BodyMemory {
  readonly #options: BodyMemoryOptions;
  readonly #bytes: FairSemaphore;

  constructor(options: Partial<BodyMemoryOptions> = {}) {
    this.#options = { ...usualOptions, ...options };
    const { budgetBytes, bytesPerOwner, leavesRoom } = this.#options;
    const perOwner = leavesRoom ? (free: number) => Math.min(bytesPerOwner, free) : bytesPerOwner;
    this.#bytes = new FairSemaphore(budgetBytes, { perOwner });
  }

  get waiting(): number {
    return this.#bytes.waiting();
  }

  /** `granted` rejects with `SERVICE_UNAVAILABLE` when too many bodies wait, or this one too long. */
  claim(owner: string, bytes: number): Claim {
    const { waiting, waitingPerOwner, waitMs } = this.#options;
    const claim = this.#bytes.claim(owner, bytes);
    if (claim.isHeld) return claim;
    const refuse = () => claim.giveUp(tooManyLarge(this.waiting - 1));
    const isFull = this.waiting > waiting || this.#bytes.waiting(owner) > waitingPerOwner;
    if (isFull) refuse();
    else {
      const timer = setTimeout(refuse, waitMs).unref();
      const end = () => clearTimeout(timer);
      claim.granted.then(end, end);
    }
    return claim;
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
