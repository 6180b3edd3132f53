import { validate, version } from 'uuid';
import { describe, expect, it } from 'vitest';
import { newId } from './new-id.ts';

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

  it('ends each in its own random bits', () => {
    expect(new Set(ids.map((id) => id.slice(-10))).size).toBe(ids.length);
  });
});
