import { expect, it } from 'vitest';
import { type JsonValue, jsonByteLength } from './json-value.ts';

it.each<[JsonValue, number]>([
  ['ä', 4],
  [[1, 0.5], 7],
  [[1e300], 8 + 300],
  [{ a: -1.5e-300 }, 15 + 300],
  [{ '1e+300': '\\"2e-200' }, 23],
])('%j has so many bytes', (value, bytes) => {
  expect(jsonByteLength(value)).toBe(bytes);
});
