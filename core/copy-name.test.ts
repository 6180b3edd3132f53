import { expect, it } from 'vitest';
import { copyName } from './copy-name.ts';

it.each([
  ['Welcome', 20, 'Welcome (Copy)'],
  ['Welcome (Copy)', 40, 'Welcome (Copy) (Copy)'],
  ['x'.repeat(20), 20, `${'x'.repeat(13)} (Copy)`],
  [`${'x'.repeat(12)}😀y`, 20, `${'x'.repeat(12)}😀 (Copy)`],
  [`${'x'.repeat(13)}😀`, 20, `${'x'.repeat(13)} (Copy)`],
])('a copy of %j within %i characters is called %j', (name, maxLength, expected) => {
  expect(copyName(name, maxLength)).toBe(expected);
});
