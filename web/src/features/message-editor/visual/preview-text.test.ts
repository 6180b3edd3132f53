import { expect, it } from 'vitest';
import { readPreviewText, writePreviewText } from './preview-text.ts';

const page = (content: string) => `<!doctype html>\n<body class="a">\n  ${content}</body>`;

it.each(['', page(''), page('<p>Hello</p>'), '<p>Hello</p>'])(
  'is written to %j and removed again',
  (html) => {
    const texts = ['New ', 'New {{ plan ?? "free" }} & <old>', "It's &lt;"];
    for (const text of texts) expect(readPreviewText(writePreviewText(html, text))).toBe(text);
    const replaced = texts.reduce(writePreviewText, html);
    expect(writePreviewText(replaced, '')).toBe(html);
  },
);

it('stands before the content, in its own line', () => {
  expect(writePreviewText(page('<p>Hello</p>'), 'New')).toBe(
    page(
      '<div data-text="none" style="display: none; max-height: 0; overflow: hidden;">New</div>\n  <p>Hello</p>',
    ),
  );
});

it.each([
  [
    '<div style="display:none!important;opacity:0">From a tool&zwnj;&nbsp;&zwnj;&nbsp;</div><p>x</p>',
    'From a tool',
  ],
  ['<div style="color: red">Visible</div>', ''],
  ['<div style="display:none"><b>No text alone</b></div>', ''],
  ['<p>x</p><div style="display:none">Further down</div>', ''],
])('%j has the preview text %j', (content, text) => {
  expect(readPreviewText(page(content))).toBe(text);
});
