import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { newId, newIds } from './new-id.ts';

describe('newId', () => {
  const ids = Array.from({ length: 5_000 }, newId);

  it('makes ids of version 7 that begin with the current millisecond', () => {
    const beforeMs = Date.now();
    const id = newId();
    expect(validate(id) && version(id)).toBe(7);
    const atMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(atMs).toBeGreaterThanOrEqual(beforeMs);
    expect(atMs).toBeLessThanOrEqual(Date.now());
  });

  it('makes each id greater than the one before, also within a millisecond', () => {
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('ends each id in its own random bits', () => {
    expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length);
  });
});

describe('newIds', () => {
  it('makes ascending ids of one millisecond, whenever the next one begins', () => {
    const all = Array.from({ length: 20_000 }, () => newIds(3));
    expect(all.flat()).toEqual(all.flat().toSorted());
    const millisecondsOf = (ids: string[]) => new Set(ids.map((id) => id.slice(0, 13))).size;
    expect(all.filter((ids) => millisecondsOf(ids) > 1)).toEqual([]);
  });

  it('makes ids that ClickHouse sorts in the order of their creation', () => {
    // The second half begins with the low bits of a counter. They wrap once in a million ids.
    const isSorted = (ids: string[]) => {
      const halves = ids.map((id) => id.slice(19));
      return halves.join() === halves.toSorted().join();
    };
    const unsorted = Array.from({ length: 20_000 }, () => newIds(3)).filter((ids) => !isSorted(ids));
    expect(unsorted.length).toBeLessThan(10);
  });
});
