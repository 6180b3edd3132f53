/**
 * Options of an LRUCache that holds so many entries and takes memory as it fills. With `max` it would take all of it
 * at once: 5 MB for 200,000.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
