import { DomainError } from '../../core/errors.ts';
import { isLockTimeout, isOverMatchLimit, isRolledBack } from '../database-errors.ts';
import { BatchQueue, type Queued } from './batch-queue.ts';
import type { BatchTrace, TracePosition } from './batch-trace.ts';
import { createFailingGroups, type FailingGroups } from './failing-groups.ts';

export interface BatcherOptions<Item, Result> {
  /**
   * Runs one set-based statement for all items, all or nothing. Returns the results in the order of the items.
   *
   * @param lockMs with `limitsLocks`, the maximum wait for a lock while several groups share the batch; undefined for the
   * usual timeout
   */
  run: (items: Item[], lockMs?: number) => Promise<Result[]>;
  maxItems: number;
  /** Maximum batches in flight. With two or more, one is always reserved for shared batches. */
  concurrency: number;
  /**
   * How many items must be waiting for a second shared batch to start (default 1). Does not apply once the running one
   * takes longer than `maxHoldMs`, since it may be waiting for a lock. Each statement has a fixed cost, so two small
   * batches cost more than one larger one.
   */
  minBeside?: number;
  /** How long a shared batch may run before another one starts regardless of `minBeside`, in ms. */
  maxHoldMs?: number;
  /**
   * The owner of an item, such as its project. Groups take turns; a group with a failing item runs alone for a minute,
   * so splitting its batches never delays other groups.
   */
  groupOf?: (item: Item) => string;
  /**
   * Items that share a key never share a batch or run concurrently, because a statement can touch a row only once and
   * batches must not wait for each other's row locks. They run in order of submission and must be in one group.
   */
  keysOf?: (item: Item) => readonly string[];
  /** Items of the same kind may share a batch even when they share a key; their order is kept. */
  kindOf?: (item: Item) => string;
  /** Cost of an item against `maxWeight`, such as its size in bytes; an item above half of `maxWeight` runs alone. */
  weightOf?: (item: Item) => number;
  maxWeight?: number;
  /** Maximum total weight of waiting items; one group may use half of it. Items above it are rejected. */
  maxWaitingWeight?: number;
  /** Shared batches wait a second for locks. A group found to exceed it runs again alone, without that limit. */
  limitsLocks?: boolean;
  trace?: BatchTrace | undefined;
}

interface Entry<Item, Result> extends Queued {
  item: Item;
  caller: TracePosition | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const retryAfterSeconds = 2;
/** Several times the duration of a batch that waits for no lock. */
const defaultHoldMs = 50;
/** For shared batches: one group's rows may stay locked for long while those of the other groups are free. */
const sharedLockMs = 1_000;

/**
 * Batches concurrent calls into one statement. There is no timer: a batch is whatever queued up while the previous one
 * ran, so an idle server answers immediately and a busy one in batches.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #mostWaiting: number;
  readonly #failing: FailingGroups;
  readonly #queue: BatchQueue<Entry<Item, Result>>;
  #running = 0;
  #runningAlone = 0;
  #wasAlone = false;
  #sharedSince = 0;
  #holding: NodeJS.Timeout | undefined;
  #scheduled = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
    this.#mostWaiting = options.maxWaitingWeight ?? Number.POSITIVE_INFINITY;
    this.#failing = createFailingGroups(options.maxItems);
    this.#queue = new BatchQueue({
      maxItems: options.maxItems,
      maxWeight: options.maxWeight ?? Number.POSITIVE_INFINITY,
      mostAlone: this.#failing.mostAlone,
    });
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Runs the item in the next batch. A batch that is rolled back is split, so that a bad item fails alone with its own
   * error.
   *
   * @throws DomainError `SERVICE_UNAVAILABLE` when the queue is full; nothing of the item is applied
   */
  submit(item: Item): Promise<Result> {
    const { groupOf, weightOf, keysOf, kindOf, trace, concurrency } = this.#options;
    return new Promise((resolve, reject) => {
      const group = groupOf?.(item) ?? '';
      const weight = weightOf?.(item) ?? 0;
      if (this.#isFull(group, weight)) {
        reject(queueIsFull());
        return;
      }
      const keys = keysOf?.(item) ?? [];
      this.#queue.add({
        item,
        group,
        keys,
        kind: kindOf?.(item),
        weight,
        caller: trace?.here(),
        resolve,
        reject,
      });
      if (this.#running >= concurrency || this.#scheduled) return;
      this.#scheduled = true;
      // Runs after pending I/O, so that requests read in the same tick share a batch.
      setImmediate(() => this.#pump());
    });
  }

  #isFull(group: string, weight: number): boolean {
    return (
      this.#queue.weight + weight > this.#mostWaiting ||
      this.#queue.weightOf(group) + weight > this.#mostWaiting / 2
    );
  }

  #pump(): void {
    this.#scheduled = false;
    while (this.#running < this.#options.concurrency && this.#queue.length > 0) {
      const { batch, isAlone } = this.#take();
      // Every waiting item is blocked or held up by a running batch, which pumps again when it ends.
      if (batch.length === 0) return;
      this.#wasAlone = isAlone;
      if (!isAlone) this.#sharedSince = performance.now();
      this.#running += 1;
      if (isAlone) this.#runningAlone += 1;
      this.#runBatch(batch, isAlone).finally(() => {
        this.#queue.free(batch);
        this.#running -= 1;
        if (isAlone) this.#runningAlone -= 1;
        this.#pump();
      });
    }
  }

  #take(): { batch: Entry<Item, Result>[]; isAlone: boolean } {
    const mayBeAlone = this.#runningAlone < Math.max(1, this.#options.concurrency - 1);
    const alone = mayBeAlone && !this.#wasAlone ? this.#queue.takeAlone() : [];
    if (alone.length > 0) return { batch: alone, isAlone: true };
    const shared = this.#mayShare() ? this.#queue.takeShared() : [];
    if (shared.length > 0 || !mayBeAlone) return { batch: shared, isAlone: false };
    return { batch: this.#queue.takeAlone(), isAlone: true };
  }

  #mayShare(): boolean {
    const { minBeside = 1, maxHoldMs = defaultHoldMs } = this.#options;
    if (this.#running === this.#runningAlone || this.#queue.length >= minBeside) return true;
    if (performance.now() - this.#sharedSince >= maxHoldMs) return true;
    this.#holding ??= setTimeout(() => {
      this.#holding = undefined;
      this.#pump();
    }, maxHoldMs).unref();
    return false;
  }

  async #runBatch(batch: Entry<Item, Result>[], isAlone: boolean): Promise<void> {
    const { run, trace, limitsLocks = false } = this.#options;
    const lockMs = limitsLocks && !isAlone ? sharedLockMs : undefined;
    try {
      const items = batch.map((entry) => entry.item);
      const results =
        trace === undefined
          ? await run(items, lockMs)
          : await trace.around(
              batch.map((entry) => entry.caller),
              () => run(items, lockMs),
            );
      if (results.length !== batch.length) throw new Error('A batch must return one result per item');
      batch.forEach((entry, index) => {
        entry.resolve(results[index] as Result); // as: the lengths were just compared
      });
      this.#failing.succeeded(batch[0]?.group ?? '');
    } catch (error) {
      await this.#splitFailed(batch, isAlone, error);
    }
  }

  async #splitFailed(batch: Entry<Item, Result>[], isAlone: boolean, error: unknown): Promise<void> {
    const { groupOf, limitsLocks = false } = this.#options;
    const mayRetry = isRolledBack(error);
    const groups = new Set(batch.map((entry) => entry.group));
    const [group] = groups;
    const culprit = mayRetry && groupOf !== undefined && groups.size === 1 ? group : undefined;
    if (culprit !== undefined) this.#failing.failed(culprit, batch.length);
    const isCutShort =
      limitsLocks && !isAlone && culprit !== undefined && (isLockTimeout(error) || isOverMatchLimit(error));
    if (!mayRetry || (batch.length === 1 && !isCutShort)) for (const entry of batch) entry.reject(error);
    else if (culprit !== undefined) this.#queue.putBack(batch);
    else for (const part of halve(batch, groups)) await this.#runBatch(part, isAlone);
  }
}

function halve<E extends Queued>(batch: readonly E[], groups: ReadonlySet<string>): E[][] {
  if (groups.size === 1) {
    const middle = batch.length >> 1;
    return [batch.slice(0, middle), batch.slice(middle)];
  }
  const first = new Set([...groups].slice(0, groups.size >> 1));
  return [batch.filter((entry) => first.has(entry.group)), batch.filter((entry) => !first.has(entry.group))];
}

function queueIsFull(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many requests at once', { retryAfterSeconds });
}
