export interface BatcherOptions<Item, Result> {
  /** Runs one set-based statement for all items; answers in their order. All or nothing. */
  run: (items: Item[]) => Promise<Result[]>;
  /** Most items of one batch. */
  maxItems: number;
  /** Batches in flight at once. */
  concurrency: number;
  /** Items that have a key in common never share a batch, so that a statement touches a row once. */
  keysOf?: (item: Item) => readonly string[];
  /** Cost of an item against `maxWeight`, for instance its bytes; an item above it goes alone. */
  weightOf?: (item: Item) => number;
  maxWeight?: number;
  /** Whether the error proves that nothing of the batch was applied, so that it may be run again. */
  isRolledBack: (error: unknown) => boolean;
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

  function take(): Entry<Item, Result>[] {
    const batch: Entry<Item, Result>[] = [];
    const left: Entry<Item, Result>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    let looked = 0;
    for (const entry of queue) {
      if (batch.length >= options.maxItems) break;
      looked += 1;
      const itemWeight = options.weightOf?.(entry.item) ?? 0;
      const itemKeys = options.keysOf?.(entry.item) ?? [];
      const tooHeavy =
        batch.length > 0 && weight + itemWeight > (options.maxWeight ?? Number.POSITIVE_INFINITY);
      if (tooHeavy || itemKeys.some((key) => keys.has(key))) {
        left.push(entry);
      } else {
        weight += itemWeight;
        batch.push(entry);
      }
      // Of what stays behind too: a later item of the same key must not overtake it.
      for (const key of itemKeys) keys.add(key);
    }
    queue = left.concat(queue.slice(looked));
    return batch;
  }

  async function runBatch(batch: Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await options.run(batch.map((entry) => entry.item));
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
      running += 1;
      runBatch(batch).finally(() => {
        running -= 1;
        pump();
      });
    }
  }

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
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
