import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contrastRatio, defaultBrandColor, isBrandColor, textColorOn } from './brand-color.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

it('accepts colors in one form only', () => {
  expect(['#000000', '#c0ffee', defaultBrandColor].every(isBrandColor)).toBe(true);
  for (const text of ['red', '#fff', '#C0FFEE', '#00000g', '#000000;}', ' #000000', '#000000\n', '']) {
    expect(isBrandColor(text), text).toBe(false);
  }
});

it('knows the contrast of colors', () => {
  expect(contrastRatio('#000000', '#ffffff')).toBe(21);
  expect(contrastRatio('#777777', '#777777')).toBe(1);
  expect(contrastRatio('#ffffff', '#767676')).toBeCloseTo(4.54, 2);
});

it('puts readable text on every color', () => {
  expect(textColorOn('#ffee00')).toBe('#000000');
  expect(textColorOn(defaultBrandColor)).toBe('#ffffff');
  fc.assert(
    fc.property(color, (background) => {
      expect(isBrandColor(background)).toBe(true);
      expect(contrastRatio(background, textColorOn(background))).toBeGreaterThanOrEqual(4.5);
    }),
  );
});
