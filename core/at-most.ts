/**
 * Options of an LRUCache for this many entries that allocates memory as it fills. With `max` it would allocate all of
 * it at once: 5 MB for 200,000 entries.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
