import { expect, it } from 'vitest';
import { colorOf, isButton, readAddress, toButton, toLink, withColor } from './links.ts';

it.each([
  ['https://example.com/a?b=1', 'https://example.com/a?b=1'],
  [' example.com/a ', 'https://example.com/a'],
  ['ada@example.com', 'mailto:ada@example.com'],
  ['mailto:ada@example.com?subject=Hi', 'mailto:ada@example.com?subject=Hi'],
  ['tel:+4930123', 'tel:+4930123'],
  ['{{ unsubscribeUrl }}', '{{ unsubscribeUrl }}'],
  ['javascript:alert(1)', undefined],
  ['https://example.com/{{ user.id | url_encode }}', 'https://example.com/{{ user.id | url_encode }}'],
  ['example.com/{{ id }}', 'https://example.com/{{ id }}'],
  ['no address', undefined],
  ['https://example.com/my page', undefined],
  ['{{ site }} or so', undefined],
  ['https://', undefined],
  ['', undefined],
])('the address %j is %j', (typed, address) => {
  expect(readAddress(typed)).toBe(address);
});

it('a link becomes a button and a link again, and keeps its other attributes', () => {
  const button = toButton({ id: 'start' }, '#0f766e');
  expect(isButton(button)).toBe(true);
  expect(colorOf(button)).toBe('#0f766e');
  expect(toLink(button ?? {})).toEqual({ id: 'start' });
  expect(isButton({ style: 'color: red' })).toBe(false);
});

it('the text of a button can be read on its color', () => {
  const written = { style: 'display: inline-block; background: red; COLOR:blue; mso-padding-alt: 0' };
  expect(withColor(written, '#fde047')?.style).toBe(
    'display: inline-block; mso-padding-alt: 0; background-color: #fde047; color: #000000;',
  );
  expect(withColor(written, '#1e3a8a')?.style).toContain('color: #ffffff;');
});
