import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToText, tidyText } from './plain-text.ts';
import { toPlainTextTemplate } from './plain-text-template.ts';
import { stripMarkup } from './strip-markup.ts';
import { compileTemplate } from './template.ts';
import { boundCpu } from './testing/cpu-bound.ts';
import { renderTemplate } from './testing/render-template.ts';

describe('htmlToText', () => {
  it.each([
    ['<p>Hi <b>Ada</b>,</p><p>bye</p>', 'Hi Ada,\n\nbye'],
    ['<h1>Title</h1>text<br>line', 'Title\n\ntext\nline'],
    ['<dl><dt>Total</dt><dd>10</dd><dt>Tax</dt><dd>2</dd></dl>', 'Total\n10\nTax\n2'],
    ['<center>Total 10</center><center>20</center>', 'Total 10\n20'],
    ['<li>one</li><li>two</li>', 'one\ntwo'],
    ['<ul><li>one</li><li><p>two</p></li></ul>', '* one\n\n* two'],
    ['<ol start="3"><li>a</li><li>b</li></ol>', '3. a\n4. b'],
    ['<ul><li>a<ul><li>b</li></ul></li></ul>', '* a\n  * b'],
    ['<a href="https://x.io/a">Read</a>', 'Read [https://x.io/a]'],
    ['<a href="https://x.io/a">https://x.io/a</a> <a href="https://x.io">x.io</a>', 'https://x.io/a x.io'],
    ['<a href="mailto:a@x.io">a@x.io</a> <a href="mailto:a@x.io">Mail</a>', 'a@x.io Mail [a@x.io]'],
    ['<a href="mailto:a@x.io?subject=Hi">Mail</a>', 'Mail [mailto:a@x.io?subject=Hi]'],
    ['<a href="#top">Top</a> <a href="javascript:x()">Do</a> <a>Plain</a>', 'Top Do Plain'],
    ['<a href="https://x.io"><img src="l.png" alt="Logo"></a>', 'Logo [https://x.io]'],
    ['<a href="https://x.io"><img src="l.png"></a>', '[https://x.io]'],
    ['<img src="x.png" alt="A cat"><img src="pixel.gif">', 'A cat'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>', 'a b\nc d'],
    ['<blockquote>a<br>b</blockquote>', '> a\n> b'],
    ['<head><title>T</title><style>p{}</style></head><body>x<script>y()</script><!-- z --></body>', 'x'],
    ['&lt;b&gt; &amp; &euro; &#8364; &nbsp;x', '<b> & € €  x'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<div style="display:none;max-height:0">Preview&zwnj;&nbsp;</div><p>x</p>', 'x'],
    ['a<table style="color:red; DISPLAY: None !important"><tr><td>b</td></tr></table>c', 'ac'],
    ['<p style="display:block">a</p>', 'a'],
    ['', ''],
  ])('%s', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it('indents nested lists and quotes only so far', () => {
    const deep = (tags: string) => htmlToText(`${tags.repeat(20)}x`);
    expect(deep('<ul><li>')).toBe('* * * * * * x');
    expect(deep('<blockquote>')).toBe('> > > > > x');
  });

  const large = 2_000_000;
  const fill = (piece: string) => piece.repeat(large / piece.length);
  it.each([
    ['open tags', fill('<div>')],
    ['wrong closing tags', '<b>'.repeat(5000) + '</z>'.repeat(5000)],
    ['nested lists', fill('<ul><li>x')],
    ['nested quotes', `${'<blockquote>'.repeat(90)}<pre>${'a\n'.repeat(400_000)}`],
    ['nested links', `${'<a href="x">'.repeat(90)}${'x '.repeat(400_000)}`],
    ['brackets', fill('<')],
    ['blanks', `<pre>${fill(' ')}x`],
    ['entities', fill('&amp;')],
    ['comments', fill('<!--')],
    ['paragraphs', fill('<p>x</p>')],
  ])('stays fast on %s', (_name, html) => {
    const text = boundCpu(() => htmlToText(html));
    expect(text.length).toBeLessThanOrEqual(512 * 1024);
  });
});

describe('stripMarkup', () => {
  it.each([
    ['<p>a</p>b<br/>c', '\na\nb\nc'],
    ['1 < 2 <b>x</b> > y', '1 < 2 x > y'],
    ['a<script>x<y</SCRIPT>b<style>p{}</style >c<!-- <b> -->d', 'abcd'],
    ['a<b', 'a'],
    ['&lt;&amp;amp;&#65;&#x42;&nope;&#0;', '<&amp;AB&nope;&#0;'],
    ['?a=1&region=eu&copy;', '?a=1&region=eu©'],
    ['?id=7&timestamp=1&amp=2', '?id=7&timestamp=1&amp=2'],
    ['&copy&reg &#65b&#0&', '©® Ab&#0&'],
    ['İ<B>x</B>', 'İx'],
    ['<a href="https://x.io/r?t=1&amp;u=2">Reset <b>it</b></a>!', 'Reset it [https://x.io/r?t=1&u=2]!'],
    ['<A HREF=https://x.io>x.io</A> <a href="#top">Top</a>', 'x.io Top'],
    [
      '<a href="https://a.io">one</a><a title="href" href="https://b.io">two',
      'one [https://a.io]two [https://b.io]',
    ],
  ])('%s gives %j', (html, text) => {
    expect(stripMarkup(html)).toBe(text);
  });
});

const textSource = (html: string) => toPlainTextTemplate(html)?.source;

describe('toPlainTextTemplate', () => {
  it.each([
    ['<p>Hello <b>{{ name }}</b>!</p>', 'Hello {{ name }}!'],
    ['<a href="{{ url }}">Read {{ title | upcase }}</a>', 'Read {{ title | upcase }} [{{ url }}]'],
    ['<a href="{{ url }}">{{ url }}</a>.', '{{ url }}.'],
    ['<p>Order {{ n }} [{{ n }}]</p>', 'Order {{ n }} [{{ n }}]'],
    ['<p>{% if vip %}yes{% else %}no{% endif %}</p>', '{% if vip %}yes{% else %}no{% endif %}'],
    [
      '<ul>{% for i in items %}<li>{{ i }}</li>{% endfor %}</ul>',
      '{% for i in items %}* {{ i }}\n{% endfor %}',
    ],
    [
      '<ol>{% for i in items %}<li>{{ i }}</li>{% endfor %}</ol>',
      '{% for i in items %}* {{ i }}\n{% endfor %}',
    ],
    [
      '<table>{% for r in rows %}<tr><td>{{ r.a }}</td><td>{{ r.b }}</td></tr>{% endfor %}</table>',
      '{% for r in rows %}{{ r.a }} {{ r.b }}\n{% endfor %}',
    ],
    [
      '{% assign a = 1 %}<html><head><title>{{ t }}</title></head><body>{{ a }}</body></html>',
      '{% assign a = 1 %}{{ a }}',
    ],
    ['<img src="{{ logo }}" alt="{{ company }}"><p style="color:{{ color }}">x</p>', '{{ company }}\n\nx'],
    ['<p>{{ bio | raw }}</p>', '{{ bio | raw | plain_text }}'],
    ['{{ bio |raw}}{{ "| raw" }}{{ raw }}', '{{ bio |raw | plain_text }}{{ "| raw" }}{{ raw }}'],
    ['{{ bio | raw ?? "1 < 2 | raw ?? " }}', '{{ bio | raw | plain_text ?? "1 < 2 | raw ?? " }}'],
    ['{% comment %}{{ x }}<b>{% endcomment %}{% # note %}a', 'a'],
    [
      '{% raw %}{{ x }}{% endraw %} {&#123; &#123;% {<b>{{ y }}</b>',
      '{{ "{" }}{ x }} {{ "{" }}{ {{ "{" }}% {{ "{" }}{{ y }}',
    ],
    ['a {%- if x -%} b {%- endif %} c', 'a{% if x %}b{% endif %} c'],
    ['<!-- {% if x %}{{ y }}{% endif %} -->a', 'a'],
    ['<p {% if x %}class="{{ c }}"{% endif %}>a</p>', 'a'],
    ['<a href="{% if x %}u{% else %}v{% endif %}">t</a>', 't [{% if x %}u{% else %}v{% endif %}]'],
    ['<div style="display:none">{{ a }}{% if x %}b{% endif %}</div>c', 'c'],
    ['a<p {% if x %} style="display:none" {% endif %}>b</p>c', 'a\nb\nc'],
    ['a<p style="{% if x %}display:none{% endif %}">b</p>c', 'a\nb\nc'],
    ['{{ a }}\ufdd0\ufdd2\ufdd1', '{{ a }}'],
    ['', ''],
  ])('%s', (html, text) => {
    expect(tidyText(textSource(html) ?? 'undefined')).toBe(text);
  });

  it.each([
    ['an assignment in a comment', '<!-- {% assign x = 1 %} -->{{ x }}'],
    ['an assignment in a hidden element', '<p style="display:none">{% assign x = 1 %}</p>{{ x }}'],
    ['an assignment in a style', '<style>{% assign x = 1 %}</style>{{ x }}'],
    ['half of a block in an attribute', '<p class="{% if x %}">a</p>{% endif %}'],
    ['half of a block in a comment', '{% if x %}a<!-- {% endif %} -->'],
    ['halves of two blocks in a comment', '{% if a %}x<!-- {% endif %}{% if b %} -->y{% endif %}'],
    ['an assignment in a link that its text reads', '<a href="{% assign x = 1 %}{{ x }}">{{ x }}</a>'],
    ['a table made by a tag', '{% tablerow i in items %}{{ i }}{% endtablerow %}'],
    ['a template that does not parse', '{{ x'],
    ['a template with an unknown filter', '{{ x | shout }}'],
    ['thousands of tags', '{{ x }}'.repeat(2002)],
  ])('leaves %s to the conversion of the rendered HTML', (_name, html) => {
    expect(textSource(html)).toBeUndefined();
  });

  it('converts HTML outputs to text', () => {
    const text = textSource('<p>{{ bio | raw }}</p>') ?? '';
    expect(renderTemplate(text, { bio: '<p>a &amp; <b>b</b></p>' }).trim()).toBe('a & b');
  });

  const name = fc.constantFrom('alpha', 'beta', 'gamma', 'missing');
  const output = fc
    .tuple(name, fc.constantFrom('', ' | upcase', ' ?? "none"', ' | escape'))
    .map(([each, filter]) => `{{ ${each}${filter} }}`);
  const word = fc.constantFrom('word', 'two words', '&amp;', '&lt;', '{', '}', '%', ',');
  const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
    html: fc.array(tie('node'), { maxLength: 5 }).map((nodes) => nodes.join('')),
    node: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'html' },
      word,
      output,
      fc
        .tuple(fc.constantFrom('p', 'div', 'b', 'span', 'h2'), tie('html'))
        .map(([tag, inner]) => `<${tag} style="color:{{ color }}">${inner}</${tag}>`),
      tie('html').map((inner) => `<div style="display:none">${inner}</div>`),
      tie('html').map((inner) => `<ul>{% for item in list %}<li>${inner}{{ item }}</li>{% endfor %}</ul>`),
      tie('html').map(
        (inner) => `<table>{% for item in list %}<tr><td>${inner}</td></tr>{% endfor %}</table>`,
      ),
      fc
        .tuple(name, tie('html'), tie('html'))
        .map(([test, yes, no]) => `{% if ${test} %}${yes}{% else %}${no}{% endif %}`),
      fc.tuple(name, word).map(([each, label]) => `<a href="https://x.io/{{ ${each} }}">${label}</a>`),
      fc.tuple(name, output).map(([each, value]) => `{% assign ${each} = "set" %}${value}`),
      output.map(
        (value) => `<!-- ${value} --><img alt="${value.replaceAll('"', '&quot;')}" src="{{ alpha }}">`,
      ),
      output.map((value) => `<br>${value}`),
    ),
  }));

  it('renders the same as converting the rendered HTML, except for blanks', () => {
    const values = { alpha: 'A&B', beta: '<b>', gamma: 7, list: ['x', 'y'], color: 'red' };
    const words = (text: string) => text.replace(/\s+/g, '');
    let compared = 0;
    fc.assert(
      fc.property(html, (source) => {
        // An alternative text holds entities; the HTML template is valid without them.
        const template = source.replaceAll('&quot;', "'");
        const text = textSource(template);
        if (text === undefined || !compileTemplate(template, 'html').ok) return;
        const expected = htmlToText(renderTemplate(template, values, { kind: 'html' }));
        expect(words(renderTemplate(text, values))).toBe(words(expected));
        compared++;
      }),
      { numRuns: 1000 },
    );
    expect(compared).toBeGreaterThan(700);
  });

  it('keeps every tag and every visible output, in order', () => {
    const visible = fc.array(
      fc.oneof(
        fc.nat(99).map((n) => `{{ v${n} }}`),
        fc.nat(99).map((n) => `{% if c${n} %}t{% endif %}`),
        fc.nat(99).map((n) => `{% assign a${n} = 1 %}`),
        fc.constantFrom(
          '<p>',
          '</p>',
          '<td>',
          '<li>',
          '<ul>',
          '</ul>',
          '<div class="x">',
          '</div>',
          '<br>',
          'text',
          '<table>',
          '&amp;',
          '<h1>',
          '</b>',
        ),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(visible, (pieces) => {
        const source = pieces.join('');
        const text = textSource(source);
        const tags = /\{[{%] (?:v|if c|endif|assign a)\S*/g;
        expect(text?.match(tags)).toEqual(source.match(tags));
      }),
      { numRuns: 500 },
    );
  });
});
