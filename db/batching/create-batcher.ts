import { DomainError } from '../../core/errors.ts';
import { createBatchQueue, type Queued } from './batch-queue.ts';
import type { BatchTrace, TracePosition } from './batch-trace.ts';
import { createFailingGroups } from './failing-groups.ts';

export interface BatcherOptions<Item, Result> {
  /** Runs one set-based statement for all items; answers in their order. All or nothing. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Most items of one batch. */
  maxItems: number;
  /** Batches in flight at once. From two on, one of them is always free for batches that groups share. */
  concurrency: number;
  /**
   * Whose item it is, such as a project. Groups take turns; one whose items fail goes alone for a minute, so that
   * others never wait for its batches to be taken apart.
   */
  groupOf?: (item: Item) => string;
  /**
   * Items that have a key in common never share a batch and never run at the same time, so that a statement
   * touches a row once and batches don't wait for each other's rows. They run in the order of their submission.
   * They belong to one group.
   */
  keysOf?: (item: Item) => readonly string[];
  /** Items of one kind may share a batch in spite of a common key; they stand in it in their order. */
  kindOf?: (item: Item) => string;
  /** Cost of an item against `maxWeight`, for instance its bytes; an item above half of it goes alone. */
  weightOf?: (item: Item) => number;
  maxWeight?: number;
  /** Weight that may wait for a batch altogether; half of it for one group. Items beyond are refused. */
  maxWaitingWeight?: number;
  /** Whether the error proves that nothing of the batch was applied, so that it may be run again. */
  isRolledBack: (error: unknown) => boolean;
  /** Told of every run, also of the runs of parts after a roll-back. */
  trace?: BatchTrace | undefined;
}

export interface Batcher<Item, Result> {
  /**
   * Runs the item in the next batch and answers with its own result. Rejects with the item's own error: a batch that
   * is rolled back is taken apart, so that a bad item fails alone.
   *
   * @throws DomainError `SERVICE_UNAVAILABLE` when too much waits; nothing of the item is applied
   */
  submit(item: Item): Promise<Result>;
  /** Items that wait for a batch. */
  readonly waiting: number;
}

interface Entry<Item, Result> extends Queued {
  item: Item;
  caller: TracePosition | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const retryAfterSeconds = 2;

/**
 * Shares one statement between the calls that are waiting at the same moment. There is no timer: a batch is
 * what has gathered while the one before ran, so an idle server answers at once and a busy one in batches.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { trace, concurrency, groupOf } = options;
  const mostWaiting = options.maxWaitingWeight ?? Number.POSITIVE_INFINITY;
  const failing = createFailingGroups(options.maxItems);
  const queue = createBatchQueue<Entry<Item, Result>>({
    maxItems: options.maxItems,
    maxWeight: options.maxWeight ?? Number.POSITIVE_INFINITY,
    mostAlone: failing.mostAlone,
  });
  let running = 0;
  let runningAlone = 0;
  let wasAlone = false;
  let scheduled = false;

  async function runBatch(batch: Entry<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map((entry) => entry.item);
      const results =
        trace === undefined
          ? await options.run(items)
          : await trace.around(
              batch.map((entry) => entry.caller),
              () => options.run(items),
            );
      if (results.length !== batch.length) throw new Error('A batch must answer each of its items');
      batch.forEach((entry, index) => {
        entry.resolve(results[index] as Result); // as: the lengths were just compared
      });
      failing.succeeded(batch[0]?.group ?? '');
    } catch (error) {
      await takeApart(batch, error);
    }
  }

  /** Rejects what fails for itself, and has the rest run again in smaller parts. */
  async function takeApart(batch: Entry<Item, Result>[], error: unknown): Promise<void> {
    const isRolledBack = options.isRolledBack(error);
    const groups = new Set(batch.map((entry) => entry.group));
    const [group] = groups;
    const culprit = isRolledBack && groupOf !== undefined && groups.size === 1 ? group : undefined;
    if (culprit !== undefined) failing.failed(culprit, batch.length);
    if (!isRolledBack || batch.length === 1) for (const entry of batch) entry.reject(error);
    else if (culprit !== undefined) queue.putBack(batch);
    else for (const part of halve(batch, groups)) await runBatch(part);
  }

  /** What runs next: groups that go alone and those that share take turns. */
  function take(): { batch: Entry<Item, Result>[]; isAlone: boolean } {
    const mayBeAlone = runningAlone < Math.max(1, concurrency - 1);
    const alone = mayBeAlone && !wasAlone ? queue.takeAlone() : [];
    if (alone.length > 0) return { batch: alone, isAlone: true };
    const shared = queue.takeShared();
    if (shared.length > 0 || !mayBeAlone) return { batch: shared, isAlone: false };
    return { batch: queue.takeAlone(), isAlone: true };
  }

  function pump(): void {
    scheduled = false;
    while (running < concurrency && queue.length > 0) {
      const { batch, isAlone } = take();
      // All that waits has to wait for a batch in flight, which pumps when it ends.
      if (batch.length === 0) return;
      wasAlone = isAlone;
      running += 1;
      if (isAlone) runningAlone += 1;
      runBatch(batch).finally(() => {
        queue.free(batch);
        running -= 1;
        if (isAlone) runningAlone -= 1;
        pump();
      });
    }
  }

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        const group = groupOf?.(item) ?? '';
        const weight = options.weightOf?.(item) ?? 0;
        if (queue.weight + weight > mostWaiting || queue.weightOf(group) + weight > mostWaiting / 2) {
          reject(tooMuchWaits());
          return;
        }
        const keys = options.keysOf?.(item) ?? [];
        const kind = options.kindOf?.(item);
        queue.add({ item, group, keys, kind, weight, caller: trace?.here(), resolve, reject });
        if (running >= concurrency || scheduled) return;
        scheduled = true;
        // After the input that is at hand now, so that requests of one read of the sockets share a batch.
        setImmediate(pump);
      });
    },
    get waiting() {
      return queue.length;
    },
  };
}

/** Two parts, with whole groups in each where there are several. */
function halve<E extends Queued>(batch: readonly E[], groups: ReadonlySet<string>): E[][] {
  if (groups.size === 1) {
    const middle = batch.length >> 1;
    return [batch.slice(0, middle), batch.slice(middle)];
  }
  const first = new Set([...groups].slice(0, groups.size >> 1));
  return [batch.filter((entry) => first.has(entry.group)), batch.filter((entry) => !first.has(entry.group))];
}

function tooMuchWaits(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'Too many requests at once', {
    suggestion: `Try again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  });
}
