export interface Queued {
  readonly group: string;
  readonly keys: readonly string[];
  readonly kind: string | undefined;
  readonly weight: number;
}

export interface BatchQueueOptions {
  maxItems: number;
  maxWeight: number;
  /** Item limit per batch of a group that must run alone; undefined for a group that may share batches. */
  mostAlone: (group: string) => number | undefined;
}

interface Group<Entry> {
  entries: Entry[];
  weight: number;
}

function createBatchDraft<Entry extends Queued>(
  inFlight: ReadonlySet<string>,
  maxItems: number,
  maxWeight: number,
) {
  const batch: Entry[] = [];
  /** Keys of skipped entries: later entries with the same key must not overtake them. */
  const passed = new Set<string>();
  const kinds = new Map<string, string | undefined>();
  let weight = 0;
  const isTaken = (key: string, kind: string | undefined) =>
    inFlight.has(key) ||
    passed.has(key) ||
    (kinds.has(key) && (kind === undefined || kinds.get(key) !== kind));
  return {
    batch,
    get isFull() {
      return batch.length >= maxItems;
    },
    offer(entry: Entry, isWanted: boolean): boolean {
      const isTooHeavy = batch.length > 0 && weight + entry.weight > maxWeight;
      if (!isWanted || isTooHeavy || entry.keys.some((key) => isTaken(key, entry.kind))) {
        for (const key of entry.keys) passed.add(key);
        return false;
      }
      weight += entry.weight;
      batch.push(entry);
      for (const key of entry.keys) kinds.set(key, entry.kind);
      return true;
    },
  };
}

/**
 * Queue of items waiting for a batch: FIFO within a group, round-robin between groups. Items with a common key must
 * be in the same group.
 */
export class BatchQueue<Entry extends Queued> {
  readonly #options: BatchQueueOptions;
  readonly #groups = new Map<string, Group<Entry>>();
  readonly #inFlight = new Set<string>();
  #length = 0;
  #weight = 0;
  #heavy = 0;

  constructor(options: BatchQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  get weight(): number {
    return this.#weight;
  }

  weightOf(group: string): number {
    return this.#groups.get(group)?.weight ?? 0;
  }

  add(entry: Entry): void {
    const group = this.#groupOf(entry.group);
    group.entries.push(entry);
    this.#count(group, entry, 1);
  }

  putBack(entries: readonly Entry[]): void {
    for (const entry of entries) this.#count(this.#groupOf(entry.group), entry, 1);
    const [first] = entries;
    if (first === undefined) return;
    const group = this.#groupOf(first.group);
    group.entries = [...entries, ...group.entries];
  }

  /** The next batch of light items, taken round-robin from the groups; empty while keys block every waiting item. */
  takeShared(): Entry[] {
    const { maxItems, maxWeight, mostAlone } = this.#options;
    const draft = createBatchDraft<Entry>(this.#inFlight, maxItems, maxWeight);
    const advance = (entries: readonly Entry[], from: number): number | undefined => {
      for (let at = from; at < entries.length; at += 1) {
        const entry = entries[at];
        if (entry !== undefined && draft.offer(entry, !this.#isHeavy(entry))) return at + 1;
      }
      return undefined;
    };
    let open: { entries: readonly Entry[]; at: number }[] = [];
    for (const [name, { entries }] of this.#groups) {
      if (draft.isFull) break;
      const at = mostAlone(name) === undefined ? advance(entries, 0) : undefined;
      if (at !== undefined) open.push({ entries, at });
    }
    while (open.length > 0 && !draft.isFull) {
      const still: typeof open = [];
      for (const { entries, at } of open) {
        const next = draft.isFull ? undefined : advance(entries, at);
        if (next !== undefined) still.push({ entries, at: next });
      }
      open = still;
    }
    return this.#remove(draft.batch);
  }

  /** The next batch of a group that must run alone, or one heavy item. */
  takeAlone(): Entry[] {
    const { maxWeight, mostAlone } = this.#options;
    for (const [name, { entries }] of this.#groups) {
      const most = mostAlone(name);
      if (most === undefined && this.#heavy === 0) continue;
      const draft = createBatchDraft<Entry>(this.#inFlight, most ?? 1, maxWeight);
      for (const entry of entries) {
        if (draft.isFull) break;
        draft.offer(entry, most !== undefined || this.#isHeavy(entry));
      }
      if (draft.batch.length > 0) return this.#remove(draft.batch);
    }
    return [];
  }

  free(batch: readonly Entry[]): void {
    for (const entry of batch) for (const key of entry.keys) this.#inFlight.delete(key);
  }

  /** Heavy items run alone so that they don't delay light ones. */
  #isHeavy(entry: Entry): boolean {
    return entry.weight > this.#options.maxWeight / 2;
  }

  #count(group: Group<Entry>, entry: Entry, sign: 1 | -1): void {
    group.weight += sign * entry.weight;
    this.#weight += sign * entry.weight;
    this.#length += sign;
    if (this.#isHeavy(entry)) this.#heavy += sign;
  }

  #groupOf(name: string): Group<Entry> {
    const found = this.#groups.get(name);
    if (found !== undefined) return found;
    const group = { entries: [], weight: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #remove(batch: readonly Entry[]): Entry[] {
    const taken = new Set(batch);
    for (const entry of batch) {
      this.#count(this.#groupOf(entry.group), entry, -1);
      for (const key of entry.keys) this.#inFlight.add(key);
    }
    for (const name of new Set(batch.map((entry) => entry.group))) {
      const group = this.#groupOf(name);
      group.entries = group.entries.filter((entry) => !taken.has(entry));
      this.#groups.delete(name);
      if (group.entries.length > 0) this.#groups.set(name, group);
    }
    return [...batch];
  }
}
