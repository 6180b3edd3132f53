import type { BatchTrace, TracePosition } from './batch-trace.ts';

export interface BatcherOptions<Item, Result> {
  /** Runs one set-based statement for all items; answers in their order. All or nothing. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Most items of one batch. */
  maxItems: number;
  /** Batches in flight at once. */
  concurrency: number;
  /**
   * Items that have a key in common never share a batch and never run at the same time, so that a statement
   * touches a row once and batches don't wait for each other's rows. They run in the order of their submission.
   */
  keysOf?: (item: Item) => readonly string[];
  /** Items of one kind may share a batch in spite of a common key; they stand in it in their order. */
  kindOf?: (item: Item) => string;
  /** Cost of an item against `maxWeight`, for instance its bytes; an item above it goes alone. */
  weightOf?: (item: Item) => number;
  maxWeight?: number;
  /** Whether the error proves that nothing of the batch was applied, so that it may be run again. */
  isRolledBack: (error: unknown) => boolean;
  /** Told of every run, also of the runs one by one after a roll-back. */
  trace?: BatchTrace | undefined;
}

export interface Batcher<Item, Result> {
  /**
   * Runs the item in the next batch and answers with its own result. Rejects with the item's own error: when a
   * batch is rolled back, its items are run one by one, so that a bad item fails alone.
   */
  submit(item: Item): Promise<Result>;
  /** Items that wait for a batch. */
  readonly waiting: number;
}

interface Entry<Item, Result> {
  item: Item;
  keys: readonly string[];
  kind: string | undefined;
  weight: number;
  caller: TracePosition | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Shares one statement between the calls that are waiting at the same moment. There is no timer: a batch is
 * what has gathered while the one before ran, so an idle server answers at once and a busy one in batches.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let queue: Entry<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;
  const inFlight = new Set<string>();
  const maxWeight = options.maxWeight ?? Number.POSITIVE_INFINITY;
  const { trace } = options;

  function take(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    const left: Entry<Item, Result>[] = [];
    /** Keys of what stays behind: a later item must not overtake it. */
    const passed = new Set<string>();
    const kinds = new Map<string, string | undefined>();
    let weight = 0;
    let looked = 0;
    const isTaken = (key: string, kind: string | undefined) =>
      inFlight.has(key) ||
      passed.has(key) ||
      (kinds.has(key) && (kind === undefined || kinds.get(key) !== kind));
    for (const entry of queue) {
      if (batch.length >= options.maxItems) break;
      looked += 1;
      const isTooHeavy = batch.length > 0 && weight + entry.weight > maxWeight;
      if (isTooHeavy || entry.keys.some((key) => isTaken(key, entry.kind))) {
        left.push(entry);
        for (const key of entry.keys) passed.add(key);
      } else {
        weight += entry.weight;
        batch.push(entry);
        for (const key of entry.keys) kinds.set(key, entry.kind);
      }
    }
    queue = left.concat(queue.slice(looked));
    return batch;
  }

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
    } catch (error) {
      if (batch.length === 1 || !options.isRolledBack(error)) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      for (const entry of batch) await runBatch([entry]);
    }
  }

  function pump(): void {
    scheduled = false;
    while (running < options.concurrency && queue.length > 0) {
      const batch = take();
      // All that waits has to wait for the keys of a batch in flight, which pumps when it ends.
      if (batch.length === 0) return;
      const keys = batch.flatMap((entry) => entry.keys);
      for (const key of keys) inFlight.add(key);
      running += 1;
      runBatch(batch).finally(() => {
        for (const key of keys) inFlight.delete(key);
        running -= 1;
        pump();
      });
    }
  }

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        const keys = options.keysOf?.(item) ?? [];
        const kind = options.kindOf?.(item);
        const weight = options.weightOf?.(item) ?? 0;
        queue.push({ item, keys, kind, weight, caller: trace?.here(), resolve, reject });
        if (running >= options.concurrency || scheduled) return;
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
