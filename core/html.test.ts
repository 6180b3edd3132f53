import fc from 'fast-check';
import { expect, it } from 'vitest';
import { html } from './html.ts';

it('escapes text wherever it stands, and nothing twice', () => {
  const name = `<script>alert("1")</script> & 'x'`;
  const inner = html`<b>${name}</b>`;
  expect(html`<a title="${name}">${inner}</a>`.text).toBe(
    '<a title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;">' +
      '<b>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;</b></a>',
  );
});

it('joins lists and leaves out missing values', () => {
  const items = ['<1>', html`<i>2</i>`, undefined, false, [html`3`, '&']] as const;
  expect(html`<p>${items}</p>`.text).toBe('<p>&lt;1&gt;<i>2</i>3&amp;</p>');
});

it('never lets a value end its tag, its attribute or its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(html`${value}`.text).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
    }),
  );
});
