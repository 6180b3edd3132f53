export type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/** Segments evaluated in one statement. A contact is evaluated for the segments whose bit is set in its mask. */
export interface SegmentBatch {
  bits: ReadonlyMap<string, number>;
  contacts: ReadonlyMap<string, number>;
}

const segmentsPerBatch = 50;
/** Bounds the memory and the parameters of a statement. A single segment has no more (`maxExpandedFilters`). */
const filtersPerBatch = 500;
/** Bits that are safe in a Postgres int and in JavaScript's bitwise operations. */
const bitsPerMask = 31;

export interface Reader {
  id: string;
  inputs: readonly string[];
  /** Filters of the condition with every referenced segment expanded. */
  filters: number;
}

/**
 * Groups segments that read the same touched inputs, which share a bit, and packs similar groups together: a batch
 * reads the contacts of all its segments, so segments with few common contacts make each other read more.
 */
export function* batchSegments(readers: readonly Reader[], touched: Touched): Generator<SegmentBatch> {
  const groups = Map.groupBy(readers, ({ inputs }) =>
    JSON.stringify(inputs.filter((input) => touched.has(input)).toSorted()),
  );
  let [bits, contacts] = [new Map<string, number>(), new Map<string, number>()];
  let [used, filtersSoFar] = [0, 0];
  for (const key of [...groups.keys()].toSorted()) {
    const inputs: string[] = JSON.parse(key);
    let hasBit = false;
    for (const { id, filters } of groups.get(key) ?? []) {
      const isFull = bits.size === segmentsPerBatch || filtersSoFar + filters > filtersPerBatch;
      if (bits.size > 0 && (isFull || (!hasBit && used === bitsPerMask))) {
        yield { bits, contacts };
        [bits, contacts, used, filtersSoFar, hasBit] = [new Map(), new Map(), 0, 0, false];
      }
      const bit = 1 << (hasBit ? used - 1 : used);
      if (!hasBit) {
        addBit(contacts, inputs, touched, bit);
        [used, hasBit] = [used + 1, true];
      }
      bits.set(id, bit);
      filtersSoFar += filters;
    }
  }
  if (bits.size > 0) yield { bits, contacts };
}

function addBit(contacts: Map<string, number>, inputs: readonly string[], touched: Touched, bit: number) {
  for (const input of inputs) {
    for (const id of touched.get(input) ?? []) contacts.set(id, (contacts.get(id) ?? 0) | bit);
  }
}
