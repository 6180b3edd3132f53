import { expect, it, vi } from 'vitest';
import { createChangeCache } from './change-cache.ts';

const connected = { isConnected: true, onProjectChange: () => undefined };

function create(most: number) {
  const projectOf = vi.fn((key: string) => key.charAt(0));
  const cache = createChangeCache<string>(connected, { most, projectOf });
  const keep = (...keys: string[]) => {
    const store = cache.beforeRead();
    for (const key of keys) store(key, `value of ${key}`);
  };
  const kept = (...keys: string[]) => keys.filter((key) => cache.get(key) !== undefined);
  return { cache, keep, kept, projectOf };
}

it('forgets the entries of a changed project only', () => {
  const { cache, keep, kept } = create(10);
  keep('a1', 'a2', 'b1');
  cache.forget('a');
  expect(kept('a1', 'a2', 'b1')).toEqual(['b1']);
  keep('a1');
  expect(kept('a1')).toEqual(['a1']);
  cache.forget(null);
  expect(kept('a1', 'b1')).toEqual([]);
  expect(cache.projectCount).toBe(0);
});

it('does not look at the entries of other projects for a change', () => {
  const { cache, keep, projectOf } = create(10_000);
  keep('a1', ...Array.from({ length: 5_000 }, (_, index) => `b${index}`));
  projectOf.mockClear();
  cache.forget('c');
  expect(projectOf).not.toHaveBeenCalled();
  cache.forget('a');
  expect(projectOf).toHaveBeenCalledTimes(1);
});

it('keeps nothing of a project whose entries have made room for others', () => {
  const { cache, keep, kept } = create(3);
  keep('a1', 'b1', 'c1', 'd1', 'd2');
  expect(kept('a1', 'b1', 'c1', 'd1', 'd2')).toEqual(['c1', 'd1', 'd2']);
  expect(cache.projectCount).toBe(2);
});

it('drops an entry with the project that it last belonged to', () => {
  const cache = createChangeCache<{ project: string }>(connected, {
    most: 3,
    projectOf: (_key, { project }) => project,
  });
  cache.beforeRead()('key', { project: 'a' });
  cache.beforeRead()('key', { project: 'b' });
  cache.forget('a');
  expect(cache.get('key')).toEqual({ project: 'b' });
  cache.forget('b');
  expect(cache.get('key')).toBeUndefined();
  expect(cache.projectCount).toBe(0);
});

it('forgets everything at any change when entries belong to no project', () => {
  const cache = createChangeCache<true>(connected, { most: 3 });
  cache.beforeRead()('key', true);
  cache.forget('a');
  expect(cache.get('key')).toBeUndefined();
});

it('does not keep what was read before a change', () => {
  const { cache, kept } = create(3);
  const store = cache.beforeRead();
  cache.forget('a');
  store('b1', 'old');
  expect(kept('b1')).toEqual([]);
});
