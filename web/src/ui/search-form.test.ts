import { expect, it } from 'vitest';
import { isSearchable, searchForm } from './search-form.ts';

it.each([
  ['CAFÉ', 'cafe\u0301'],
  ['Ärger', 'a\u0308rger'],
  ['Plan', 'pLAN'],
])('compares %s and %s as equal', (one, other) => {
  expect(searchForm(one)).toBe(searchForm(other));
});

it.each([
  ['ab', false],
  ['abc', true],
  ['春', true],
  ['ナ', true],
  ['봄', true],
  ['éé', false],
])('is enough to search for records: %s: %s', (text, expected) => {
  expect(isSearchable(text)).toBe(expected);
});
