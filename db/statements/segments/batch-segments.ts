export type Touched = ReadonlyMap<string, ReadonlySet<string>>;

/** Segments evaluated in one statement. A contact is evaluated for the segments whose bit is set in its mask. */
export interface SegmentBatch {
  bits: ReadonlyMap<string, number>;
  contacts: ReadonlyMap<string, number>;
}

const segmentsPerBatch = 50;
/** Bits that are safe in a Postgres int and in JavaScript's bitwise operations. */
const bitsPerMask = 31;

interface Reader {
  id: string;
  inputs: readonly string[];
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
  let used = 0;
  for (const key of [...groups.keys()].toSorted()) {
    const inputs: string[] = JSON.parse(key);
    let hasBit = false;
    for (const { id } of groups.get(key) ?? []) {
      if (bits.size === segmentsPerBatch || (!hasBit && used === bitsPerMask)) {
        yield { bits, contacts };
        [bits, contacts, used, hasBit] = [new Map(), new Map(), 0, false];
      }
      const bit = 1 << (hasBit ? used - 1 : used);
      if (!hasBit) {
        addBit(contacts, inputs, touched, bit);
        [used, hasBit] = [used + 1, true];
      }
      bits.set(id, bit);
    }
  }
  if (bits.size > 0) yield { bits, contacts };
}

function addBit(contacts: Map<string, number>, inputs: readonly string[], touched: Touched, bit: number) {
  for (const input of inputs) {
    for (const id of touched.get(input) ?? []) contacts.set(id, (contacts.get(id) ?? 0) | bit);
  }
}
