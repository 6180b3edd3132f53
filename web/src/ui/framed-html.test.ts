import { expect, it } from 'vitest';
import { framedHtml } from './framed-html.ts';

const still = '<base target="_blank">';

it.each([
  ['<p>Hello</p>', `${still}<p>Hello</p>`],
  ['<!doctype html><p>Hello</p>', `<!doctype html>${still}<p>Hello</p>`],
  ['<html lang="en"><body>Hello', `<html lang="en">${still}<body>Hello`],
  ['<html><HEAD class="a"><title>x</title>', `<html><HEAD class="a">${still}<title>x</title>`],
  ['<header>Hello</header>', `${still}<header>Hello</header>`],
])('keeps links of %s from leaving the frame', (html, framed) => {
  expect(framedHtml(html, { isDark: false })).toBe(framed);
});

it('lets the email be dark if it sets no colors', () => {
  expect(framedHtml('<p>Hello</p>', { isDark: true })).toBe(
    `${still}<style>:root{color-scheme:dark}</style><p>Hello</p>`,
  );
});
