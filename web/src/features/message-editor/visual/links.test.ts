import { expect, it } from 'vitest';
import { isButton, readAddress, toButton } from './links.ts';

it.each([
  ['https://example.com/a?b=1', 'https://example.com/a?b=1'],
  [' example.com/a ', 'https://example.com/a'],
  ['ada@example.com', 'mailto:ada@example.com'],
  ['mailto:ada@example.com?subject=Hi', 'mailto:ada@example.com?subject=Hi'],
  ['tel:+4930123', 'tel:+4930123'],
  ['{{ unsubscribeUrl }}', '{{ unsubscribeUrl }}'],
  ['javascript:alert(1)', undefined],
  ['no address', undefined],
  ['https://', undefined],
  ['', undefined],
])('the address %j is %j', (typed, address) => {
  expect(readAddress(typed)).toBe(address);
});

it('a link becomes a button and a link again, and keeps its other attributes', () => {
  const button = toButton({ id: 'start' }, true);
  expect(isButton(button)).toBe(true);
  expect(toButton(button, false)).toEqual({ id: 'start' });
  expect(isButton({ style: 'color: red' })).toBe(false);
});
