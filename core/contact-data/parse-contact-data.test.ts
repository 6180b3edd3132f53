import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorableText, type JsonValue } from '../json-value.ts';
import { unreadable } from '../testing/unreadable.ts';
import { maxContactDataBytes, parseContactData, reservedDataKeys } from './parse-contact-data.ts';
import { applyDataPatch } from './testing/apply-data-patch.ts';

function parsed(raw: unknown) {
  const result = parseContactData(raw);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.data;
}

function issuesOf(raw: unknown) {
  const result = parseContactData(raw);
  return result.ok ? [] : result.issues;
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}

describe('rules for data', () => {
  it.each([
    ['a string', 'Ada', { set: { k: 'Ada' } }],
    ['a number', 4.5, { set: { k: 4.5 } }],
    ['false', false, { set: { k: false } }],
    ['zero', 0, { set: { k: 0 } }],
    ['an array', [1, null, ''], { set: { k: [1, null, ''] } }],
    ['a plain object', { a: { b: null } }, { set: { k: { a: { b: null } } } }],
    ['null', null, { remove: ['k'] }],
    ['an empty string', '', {}],
    ['a transient value', { value: 'code', persistent: false }, { transient: { k: 'code' }, event: 'code' }],
    ['a transient null', { value: null, persistent: false }, { transient: { k: null }, event: null }],
    ['a transient empty string', { value: '', persistent: false }, { transient: { k: '' }, event: '' }],
    ['a persistent wrapper', { value: 'kept', persistent: true }, { set: { k: 'kept' }, event: 'kept' }],
    ['a persistent wrapper of null', { value: null, persistent: true }, { remove: ['k'], event: null }],
    ['a persistent wrapper of nothing', { value: '', persistent: true }, { event: '' }],
    [
      'an object that looks like a wrapper',
      { value: 1, persistent: 'no' },
      { set: { k: { value: 1, persistent: 'no' } } },
    ],
    [
      'an object with more than a wrapper',
      { value: 1, persistent: false, a: 1 },
      { set: { k: { value: 1, persistent: false, a: 1 } } },
    ],
    [
      'a wrapper in an array',
      [{ value: 1, persistent: false }],
      { set: { k: [{ value: 1, persistent: false }] } },
    ],
  ])(
    'takes %s',
    (_name, sent, expected: { set?: object; remove?: string[]; transient?: object; event?: unknown }) => {
      expect(parsed({ k: sent })).toEqual({
        set: expected.set ?? {},
        remove: expected.remove ?? [],
        transient: expected.transient ?? {},
        eventData: { k: 'event' in expected ? expected.event : sent },
      });
    },
  );

  it('drops reserved keys without an error, wrapped ones too', () => {
    const reserved = Object.fromEntries([...reservedDataKeys].map((key) => [key, key]));
    expect(parsed({ ...reserved, id: { value: 1, persistent: false }, locale: 'de' })).toEqual({
      set: { locale: 'de' },
      remove: [],
      transient: {},
      eventData: { locale: 'de' },
    });
  });

  it('lets no key reach a prototype', () => {
    const data = parsed(
      JSON.parse(
        '{"__proto__":{"admin":true},"constructor":"c","prototype":"p","deep":{"__proto__":{"x":1},"y":2}}',
      ),
    );
    expect(data.set).toEqual({ constructor: 'c', prototype: 'p', deep: { y: 2 } });
    expect(Object.getPrototypeOf(data.set)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(data.set.deep)).toBe(Object.prototype);
    expect(Object.keys(data.eventData)).toEqual(['constructor', 'prototype', 'deep']);
    expect({}).not.toHaveProperty('admin');
  });

  it.each([
    ['NUL in a value', { a: 'x\0' }, 'data.a', 'invalid_string'],
    ['a lone surrogate in a value', { a: ['ok', '\ud800'] }, 'data.a.1', 'invalid_string'],
    [
      'NUL in a transient value',
      { a: { value: { b: '\0' }, persistent: false } },
      'data.a.b',
      'invalid_string',
    ],
    ['NUL in a key', { 'a\0': 1 }, 'data.a\0', 'invalid_string'],
    ['a lone surrogate in a nested key', { a: { '\udfff': 1 } }, 'data.a.\udfff', 'invalid_string'],
    ['a number beyond the doubles', JSON.parse('{"a":1e999}'), 'data.a', 'too_big'],
    ['a key of 256 characters', { ['k'.repeat(256)]: 1 }, 'data', 'too_big'],
    ['33 levels', { a: nested(33) }, `data.a${'.0.inner'.repeat(16)}`, 'too_big'],
    ['an array', ['a'], 'data', 'invalid_type'],
    ['a string', 'a', 'data', 'invalid_type'],
    ['null', null, 'data', 'invalid_type'],
    ['a function', { a: () => 1 }, 'data.a', 'invalid_type'],
  ])('refuses %s', (_name, raw, field, code) => {
    expect(issuesOf(raw)).toEqual([expect.objectContaining({ field, code })]);
  });

  it('takes 32 levels and refuses ten thousand at once', () => {
    expect(parsed({ a: nested(32) }).set.a).toEqual(nested(32));
    expect(issuesOf(JSON.parse(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`))).toHaveLength(1);
  });

  it('measures 64 KB of JSON text in bytes', () => {
    const space = maxContactDataBytes - '{"a":""}'.length;
    expect(parsed({ a: 'x'.repeat(space) }).set.a).toHaveLength(space);
    expect(issuesOf({ a: 'x'.repeat(space + 1) })).toEqual([expect.objectContaining({ code: 'too_big' })]);
    expect(issuesOf({ a: 'é'.repeat(space / 2 + 1) })).toEqual([
      expect.objectContaining({ code: 'too_big' }),
    ]);
  });

  it('reads no values when there are more keys than 64 KB can have', () => {
    expect(issuesOf(unreadable(20_000))).toEqual([
      expect.objectContaining({ field: 'data', code: 'too_big', message: expect.stringContaining('65536') }),
    ]);
  });

  it('does not repeat a long key in the fault of each value below it', () => {
    const wrong = Array.from({ length: 100 }, () => Number.POSITIVE_INFINITY);
    expect(issuesOf({ ['k'.repeat(900_000)]: wrong })).toHaveLength(1);
    const issues = issuesOf({ a: { ['k'.repeat(900_000)]: wrong } });
    expect(issues).toHaveLength(100);
    for (const { field } of issues) expect(field.length).toBeLessThan(400);
  });

  it('reports every fault, at most a hundred', () => {
    expect(issuesOf({ a: '\0', b: { c: '\0' } }).map((issue) => issue.field)).toEqual(['data.a', 'data.b.c']);
    expect(issuesOf({ a: Array.from({ length: 5000 }, () => '\0') })).toHaveLength(100);
  });

  it('accepts any JSON object or says why not, and what it accepts can be stored', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 })), (raw) => {
        const result = parseContactData(raw);
        if (!result.ok) {
          expect(result.issues.length).toBeGreaterThan(0);
          return;
        }
        const { set, remove, transient, eventData } = result.data;
        for (const text of textsOf(eventData)) expect(isStorableText(text)).toBe(true);
        const places = [...Object.keys(set), ...remove, ...Object.keys(transient)];
        expect(new Set(places).size).toBe(places.length);
        for (const key of places) expect(Object.keys(eventData)).toContain(key);
        for (const key of [...places, ...Object.keys(eventData)])
          expect(reservedDataKeys.has(key)).toBe(false);
      }),
    );
  });
});

describe('patching data', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.jsonValue({ maxDepth: 1 }));

  it('changes the keys sent and no others, and does the same when repeated', () => {
    fc.assert(
      fc.property(object, object, fc.subarray(['a', 'b', 'c', 'd']), (before, sent, removed) => {
        const current = parsed({ ...before }).set;
        const set = parsed(sent).set;
        const remove = removed.filter((key) => !Object.hasOwn(set, key));
        const after = applyDataPatch(current, { set, remove });
        for (const key of Object.keys(set)) expect(after[key]).toEqual(set[key]);
        for (const key of remove) expect(Object.hasOwn(after, key)).toBe(false);
        for (const key of Object.keys(current)) {
          if (!Object.hasOwn(set, key) && !remove.includes(key)) expect(after[key]).toEqual(current[key]);
        }
        expect(applyDataPatch(after, { set, remove })).toEqual(after);
      }),
    );
  });
});
