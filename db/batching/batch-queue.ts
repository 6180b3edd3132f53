/** What the queue knows of an item. */
export interface Queued {
  readonly group: string;
  readonly keys: readonly string[];
  readonly kind: string | undefined;
  readonly weight: number;
}

export interface BatchQueueOptions {
  maxItems: number;
  maxWeight: number;
  /** How many items of a group that goes alone may share a batch; undefined for a group that shares with others. */
  mostAlone: (group: string) => number | undefined;
}

export interface BatchQueue<Entry extends Queued> {
  readonly length: number;
  /** Weight of what waits, of everybody and of a group. */
  readonly weight: number;
  weightOf(group: string): number;
  add(entry: Entry): void;
  /** Puts entries of one group back before all others of it, in their order. */
  putBack(entries: readonly Entry[]): void;
  /** The next batch of light items, in which groups take turns; empty when all that waits has to go on waiting. */
  takeShared(): Entry[];
  /** The next batch of a group that goes alone, or one heavy item. */
  takeAlone(): Entry[];
  /** Lets others have the keys of a batch that has ended. */
  free(batch: readonly Entry[]): void;
}

interface Group<Entry> {
  entries: Entry[];
  weight: number;
}

/** Which entries may share a batch and run beside those in flight. */
function createRoom<Entry extends Queued>(
  inFlight: ReadonlySet<string>,
  maxItems: number,
  maxWeight: number,
) {
  const batch: Entry[] = [];
  /** Keys of what stays behind: a later item must not overtake it. */
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
    /** Takes the entry, unless it has to stay behind. */
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
 * Items that wait for a batch, by group. Items of a group stand in the order of their submission, groups take turns.
 * Items with a key in common belong to one group.
 */
export function createBatchQueue<Entry extends Queued>(options: BatchQueueOptions): BatchQueue<Entry> {
  const { maxItems, maxWeight, mostAlone } = options;
  /** In the order of their turns. */
  const groups = new Map<string, Group<Entry>>();
  const inFlight = new Set<string>();
  let length = 0;
  let weight = 0;
  let heavy = 0;

  /** A heavy item goes alone, so that light ones are not held up by it. */
  const isHeavy = (entry: Entry) => entry.weight > maxWeight / 2;

  function count(group: Group<Entry>, entry: Entry, sign: 1 | -1): void {
    group.weight += sign * entry.weight;
    weight += sign * entry.weight;
    length += sign;
    if (isHeavy(entry)) heavy += sign;
  }

  function groupOf(name: string): Group<Entry> {
    const found = groups.get(name);
    if (found !== undefined) return found;
    const group = { entries: [], weight: 0 };
    groups.set(name, group);
    return group;
  }

  /** Takes a batch out of the queue; the next turn of its groups is after those of all others. */
  function remove(batch: readonly Entry[]): Entry[] {
    const taken = new Set(batch);
    for (const entry of batch) {
      count(groupOf(entry.group), entry, -1);
      for (const key of entry.keys) inFlight.add(key);
    }
    for (const name of new Set(batch.map((entry) => entry.group))) {
      const group = groupOf(name);
      group.entries = group.entries.filter((entry) => !taken.has(entry));
      groups.delete(name);
      if (group.entries.length > 0) groups.set(name, group);
    }
    return [...batch];
  }

  return {
    get length() {
      return length;
    },
    get weight() {
      return weight;
    },
    weightOf: (group) => groups.get(group)?.weight ?? 0,
    add(entry) {
      const group = groupOf(entry.group);
      group.entries.push(entry);
      count(group, entry, 1);
    },
    putBack(entries) {
      for (const entry of entries) count(groupOf(entry.group), entry, 1);
      const [first] = entries;
      if (first === undefined) return;
      const group = groupOf(first.group);
      group.entries = [...entries, ...group.entries];
    },
    takeShared() {
      const room = createRoom<Entry>(inFlight, maxItems, maxWeight);
      /** Offers entries up to the first that is taken. @returns where to go on, undefined at the end */
      const advance = (entries: readonly Entry[], from: number): number | undefined => {
        for (let at = from; at < entries.length; at += 1) {
          const entry = entries[at];
          if (entry !== undefined && room.offer(entry, !isHeavy(entry))) return at + 1;
        }
        return undefined;
      };
      let open: { entries: readonly Entry[]; at: number }[] = [];
      for (const [name, { entries }] of groups) {
        if (room.isFull) break;
        const at = mostAlone(name) === undefined ? advance(entries, 0) : undefined;
        if (at !== undefined) open.push({ entries, at });
      }
      while (open.length > 0 && !room.isFull) {
        const still: typeof open = [];
        for (const { entries, at } of open) {
          const next = room.isFull ? undefined : advance(entries, at);
          if (next !== undefined) still.push({ entries, at: next });
        }
        open = still;
      }
      return remove(room.batch);
    },
    takeAlone() {
      for (const [name, { entries }] of groups) {
        const most = mostAlone(name);
        if (most === undefined && heavy === 0) continue;
        const room = createRoom<Entry>(inFlight, most ?? 1, maxWeight);
        for (const entry of entries) {
          if (room.isFull) break;
          room.offer(entry, most !== undefined || isHeavy(entry));
        }
        if (room.batch.length > 0) return remove(room.batch);
      }
      return [];
    },
    free(batch) {
      for (const entry of batch) for (const key of entry.keys) inFlight.delete(key);
    },
  };
}
