import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { TemplateKind } from './engine.ts';
import { compileTemplate } from './template.ts';
import { createTemplateCache } from './template-cache.ts';
import { renderTemplate } from './testing/render-template.ts';

const now = new Date('2024-05-01T10:20:30.456Z');
const data = {
  name: 'Ada <b>',
  'first name': 'Ada',
  'home town name': 'London',
  'terms and conditions': 'accepted',
  'opt in or out': 'in',
  'empty seats': 4,
  '24 hour plan': 'gold',
  'true story': 'yes',
  größe: 'L',
  plan: { name: 'nested', 'full name': 'Plan A', tags: ['x', 'y'] },
  'plan.name': 'flat',
  'a.b': 'flat only',
  'wish list': ['a lamp', 'a hat'],
  orders: [
    { title: 'Pen', 'unit price': 3 },
    { title: 'Ink', 'unit price': 9, 'made in': { 'big city': 'Graz' } },
  ],
  none: null,
  zero: 0,
  no: false,
  nothing: '',
  items: [
    { title: 'Shoes', price: 59.9, stock: null },
    { title: 'Socks', price: 4, stock: 3 },
  ],
};
const variables = { ...data, data, id: 'c1', email: 'ada@example.com' };

const render = (source: string, kind?: TemplateKind, values: object = variables) =>
  renderTemplate(source, { ...values }, { kind, now });

describe('variables', () => {
  it.each([
    ['{{ email }}', 'ada@example.com'],
    ['{{email}}', 'ada@example.com'],
    ['[{{ missing }}{{ missing.deeper[0].still }}{{ none }}]', '[]'],
    ['{{ zero }}|{{ no }}|{{ nothing }}', '0|false|'],
    ['{{ first name }}', 'Ada'],
    ['{{first name}}', 'Ada'],
    ['{{  first   name  }}', 'Ada'],
    ['{{ home town name | upcase }}', 'LONDON'],
    ['{{ data.first name }}', 'Ada'],
    ['{{ data["first name"] }}', 'Ada'],
    ["{{ data['first name'] | append: '!' }}", 'Ada!'],
    ['{{ ["first name"] }}', 'Ada'],
    ['{{ plan.full name }}', 'Plan A'],
    ['{{ data.plan.full name.size }}', '6'],
    ['{% assign key = "first name" %}{{ data[key] }}', 'Ada'],
    ['{{ terms and conditions }}', 'accepted'],
    ['{{ data.terms and conditions }}', 'accepted'],
    ['{{ opt in or out | upcase }}', 'IN'],
    ['{{ missing and conditions }}', 'false'],
    ['{{ empty seats }}', '4'],
    ['{{ 24 hour plan }}', 'gold'],
    ['{{ true story }}', 'yes'],
    ['{{ größe }}', 'L'],
    ['{{ plan.name }}', 'flat'],
    ['{{ data.plan.name }}', 'flat'],
    ['{{ data["plan"].name }}', 'nested'],
    ['{{ a.b }} {{ data.a.b }}', 'flat only flat only'],
    ['{% assign plan = "mine" %}{{ plan.size }} {{ data.plan.tags }}', '4 xy'],
    [
      '{{ items[1].title }} {{ items[-1].title }} {{ items.first.title }} {{ items.last.title }} {{ items.size }}',
      'Socks Socks Shoes Socks 2',
    ],
    ['{{ items["0"].title }}{{ items[9].title }}{{ items.length }}', 'Shoes'],
    ['{{ plan.tags }}', 'xy'],
    ['{{ data.items[1] }}', '{"title":"Socks","price":4,"stock":3}'],
    ['{{ "text" }}{{ 1.5 }}{{ -2 }}{{ true }}{{ nil }}{{ empty }}', 'text1.5-2true'],
    ['{{ "a \\"quoted\\" text" }}', 'a "quoted" text'],
    ['{{-  name -}}   !', 'Ada <b>!'],
  ])('%s gives %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });
});

describe('fallbacks', () => {
  it.each([
    ['{{ missing ?? "y" }}', 'y'],
    ['{{missing??"y"}}', 'y'],
    ['{{ none ?? "y" }}', 'y'],
    ['{{ zero ?? "y" }}|{{ no ?? "y" }}|{{ nothing ?? "y" }}', '0|false|'],
    ['{{ name ?? "y" }}', 'Ada <b>'],
    ['{{ data.last name ?? "friend" }}', 'friend'],
    ['{{ data.first name ?? "friend" }}', 'Ada'],
    ['{{ plan.missing.deeper ?? "y" }}', 'y'],
    ['{{ items[9].title ?? "none" }}', 'none'],
    ['{{ missing ?? none ?? "c" }}', 'c'],
    ['{{ missing ?? first name ?? "c" }}', 'Ada'],
    ['{{ missing ?? "friend" | upcase }}', 'FRIEND'],
    ['{{ missing | capitalize ?? "there" }}', 'there'],
    ['{{ missing | capitalize ?? "there" | upcase }}', 'THERE'],
    ['{{ first name | upcase ?? "there" | append: "!" }}', 'ADA!'],
    ['{{ missing | default: "d" ?? "y" }}', 'd'],
    ['{{ missing | upcase }}|', '|'],
    ['{{ items | map: "stock" | first ?? "sold out" }}', 'sold out'],
    ['{{ missing ?? 5 | plus: 1 }}', '6'],
    ['{{ missing ?? nil ?? false }}', 'false'],
    ['{{ "a ?? b" }}', 'a ?? b'],
    ['{{ missing ?? "?? | }" }}', '?? | }'],
    ["{{ missing ?? 'single' }}", 'single'],
    ['{% if missing ?? "pro" == "pro" %}yes{% endif %}', 'yes'],
    ['{% if first name ?? "pro" == "pro" %}yes{% else %}no{% endif %}', 'no'],
    ['{% if missing ?? no %}yes{% else %}no{% endif %}', 'no'],
    ['{% unless missing ?? true %}a{% else %}b{% endunless %}', 'b'],
    ['{% assign who = last name ?? first name | upcase %}{{ who }}', 'ADA'],
    ['{% case missing ?? "b" %}{% when "a" %}A{% when "b" %}B{% endcase %}', 'B'],
    ['{% echo missing ?? "y" %}', 'y'],
    ['{% liquid assign w = missing ?? "W"\n echo w %}', 'W'],
    ['{% cycle missing ?? "y", "z" %}', 'y'],
    ['{% for i in missing ?? items %}{{ i.title }},{% endfor %}', 'Shoes,Socks,'],
    ['{% for i in missing ?? none ?? wish list reversed limit: 1 %}{{ i }}{% endfor %}', 'a lamp'],
    ['{% for i in missing ?? (1..2) %}{{ i }}{% endfor %}{% for i in a ?? b %}x{% endfor %}', '12'],
    ['{{ data[missing ?? "first name"] }}{{ items[missing ?? 1].title }}', 'AdaSocks'],
    ['{% assign x = data[missing ?? "nope"].deep ?? plan["full name"] %}{{ x }}', 'Plan A'],
  ])('%s gives %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });
});

describe('tags and filters', () => {
  it.each([
    ['{% if first name == "Ada" and zero < 1 %}yes{% endif %}', 'yes'],
    ['{% if home town name contains "ond" %}yes{% endif %}', 'yes'],
    ['{% if nothing == blank and plan.tags contains "x" and missing == nil %}yes{% endif %}', 'yes'],
    ['{% if not missing %}yes{% endif %}{% if not zero %}no{% endif %}', 'yes'],
    ['{% if "10" > 9 and "b" > "a" and missing > 1 %}no{% else %}yes{% endif %}', 'yes'],
    ['{% if items == empty %}a{% elsif items.size >= 2 %}b{% else %}c{% endif %}', 'b'],
    [
      '{% for item in items %}{{ forloop.index }}/{{ forloop.length }} {{ item.title }}{% unless forloop.last %}, {% endunless %}{% endfor %}',
      '1/2 Shoes, 2/2 Socks',
    ],
    ['{% for i in (1..5) reversed limit: 2 offset: 1 %}{{ i }}{% endfor %}', '32'],
    ['{% for i in (1..items.size) %}{{ i }}{% endfor %}', '12'],
    ['{% for i in missing %}x{% else %}none{% endfor %}', 'none'],
    ['{% for i in (1..name) %}x{% else %}none{% endfor %}', 'none'],
    ['{% for i in wish list %}{{ i }},{% endfor %}', 'a lamp,a hat,'],
    ['{% for i in data.wish list reversed %}{{ i }},{% endfor %}', 'a hat,a lamp,'],
    ['{% for i in wish list limit:1 %}{{ i }}{% endfor %}', 'a lamp'],
    ['{% for i in wish list offset : 1 limit: 5 %}{{ i }}{% endfor %}', 'a hat'],
    ['{% for i in plan.tags reversed %}{{ i }}{% endfor %}', 'yx'],
    [
      '{% tablerow i in wish list cols: 1 %}{{ i }}{% endtablerow %}',
      '<tr class="row1"><td class="col1">a lamp</td></tr><tr class="row2"><td class="col1">a hat</td></tr>',
    ],
    ['{% liquid for i in wish list\n echo i\n endfor %}', 'a lampa hat'],
    ['{% for i in (3..1) %}x{% else %}none{% endfor %}{{ (1.9..2.1) | join }}', 'none1 2'],
    ['{% if false and false or true %}left first{% else %}right first{% endif %}', 'right first'],
    ['{% for i in data["items"] %}{% if i.stock %}{{ i.title }}{% break %}{% endif %}{% endfor %}', 'Socks'],
    ['{% for pair in plan %}{{ pair[0] }};{% endfor %}', 'name;full name;tags;'],
    ['{% capture x %}<{{ first name }}>{% endcapture %}{{ x }}', '<Ada>'],
    ['{% comment %}{{ broken | nope }}{% endcomment %}{% # note %}ok', 'ok'],
    ['{% raw %}{{ name }}{% endraw %}', '{{ name }}'],
    ['{% increment c %}{% increment c %}{{ c }}{% decrement d %}', '012-1'],
    ['{{ items | map: "title" | join: " & " }}', 'Shoes & Socks'],
    ['{{ items | where: "stock", 3 | map: "title" }}', 'Socks'],
    ['{{ orders | where: "unit price", 3 | map: "title" }}', 'Pen'],
    ['{{ orders | reject: "unit price", 3 | map: "title" }}', 'Ink'],
    [
      '{{ orders | find: "unit price", 9 | json }}',
      '{"title":"Ink","unit price":9,"made in":{"big city":"Graz"}}',
    ],
    [
      '{{ orders | has: "made in.big city", "Graz" }}{{ orders | find_index: "made in.big city", "Graz" }}',
      'true1',
    ],
    ['{{ orders | group_by: "unit price" | map: "name" | join }}', '3 9'],
    ['{{ orders | sum: "unit price" }}{{ orders | sort: "unit price" | last | map: "title" }}', '12Ink'],
    [
      '{{ first name | slice: "1" }}{{ plan.tags | slice: "1", "1" }}{{ first name | truncate: "2", "" }}',
      'dyAd',
    ],
    ['{{ items | sort: "price" | map: "title" | first }}', 'Socks'],
    ['{{ items | sum: "price" | round: 1 }}', '63.9'],
    ['{{ first name | append: home town name }}', 'AdaLondon'],
    ['{{ nothing | default: "d" }}{{ no | default: "d", allow_false: true }}', 'dfalse'],
    ['{{ "a,b" | split: "," | reverse | join: "-" }}', 'b-a'],
    ['{{ "𠮷野" | split: "" | first }}', '𠮷'],
    ['{{ "<p>x</p>" | strip_html }}', 'x'],
    ['{{ (1..3) | join: "," }}', '1,2,3'],
  ])('%s gives %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });
});

describe('escaping', () => {
  const values = { x: `<a href="?a=1&b='2'">`, list: ['<', '>'], object: { a: '<' } };

  it.each([
    ['{{ x }}', '&lt;a href=&quot;?a=1&amp;b=&#39;2&#39;&quot;&gt;'],
    ['{{ x | raw }}', `<a href="?a=1&b='2'">`],
    ['{{ missing ?? "<" }}', '&lt;'],
    ['{{ missing ?? "<" | raw }}', '<'],
    ['{{ x | raw | size }}', '21'],
    ['{{ list[0] | raw ?? "y" }}{{ missing | raw ?? list[0] }}', '<&lt;'],
    ['{{ missing | raw ?? list[0] | raw }}{{ missing | raw ?? nil | raw ?? list[1] }}', '<&gt;'],
    ['{{ list[0] | escape ?? "y" }}{{ missing | escape ?? list[0] }}', '&lt;&lt;'],
    ['{{ list[0] | raw ?? "y" | append: ">" }}{{ list[0] | append: ">" ?? "y" }}', '&lt;&gt;&lt;&gt;'],
    ['{{ list }}{{ object }}', '&lt;&gt;{&quot;a&quot;:&quot;&lt;&quot;}'],
    ['{% echo x %}', '&lt;a href=&quot;?a=1&amp;b=&#39;2&#39;&quot;&gt;'],
    ['{% echo "<" | raw %}{% cycle "<", ">" %}', '<&lt;'],
    ['{% capture c %}<b>{{ list[0] }}</b>{% endcapture %}{{ c | raw }}', '<b>&lt;</b>'],
    ['<b>{{ list[1] }}</b>', '<b>&gt;</b>'],
    ['{{ x | escape }}', '&lt;a href=&#34;?a=1&amp;b=&#39;2&#39;&#34;&gt;'],
    ['{{ "<&amp;" | escape_once }}{{ missing ?? "<" | xml_escape }}', '&lt;&amp;&lt;'],
    ['{% echo "<" | escape %}{% assign y = "<" | escape %}{{ y }}', '&lt;&amp;lt;'],
    ['{{ "<" | escape | append: "<" }}', '&amp;lt;&lt;'],
    ["<p title='{{ x }}'>", "<p title='&lt;a href=&quot;?a=1&amp;b=&#39;2&#39;&quot;&gt;'>"],
  ])('html: %s gives %s', (source, expected) => {
    expect(render(source, 'html', values)).toBe(expected);
  });

  it('never happens in text', () => {
    expect(render('{{ x }}{% echo list %}{% cycle "&" %}', 'text', values)).toBe(`<a href="?a=1&b='2'"><>&`);
  });
});

describe('data that filters cannot handle', () => {
  it.each([
    ['a{{ "%" | url_decode }}b', 'ab'],
    ['a{{ "!" | base64_decode }}b', 'ab'],
    ['a{{ "now" | date: "%Y", "Nowhere/Land" }}b', 'ab'],
    ['a{{ 5 | append }}b{{ email }}', 'abada@example.com'],
    ['a{% assign x = "%" | url_decode %}{{ x }}b', 'ab'],
    ['{% for i in (1..2) %}{% if "%" | url_decode %}x{% endif %}{{ i }}{% endfor %}{{ i }}', '12'],
    ['{{ items | plus: 1 }}|{{ plan | divided_by: 0 }}|{{ none | times: "x" }}', '1|NaN|0'],
  ])('%s gives %s', (source, expected) => {
    expect(render(source)).toBe(expected);
  });
});

describe('templates that do not parse', () => {
  it.each([
    ['{{ x', 'output "{{ x" not closed', 1, 1],
    ['ok\n  {{ name | shout }}', 'undefined filter: shout', 2, 13],
    ['a\n\n{% if x %}\n{% endfor %}', 'tag "endfor" not found', 4, 1],
    ['{% if x %}', 'tag {% if x %} not closed', 1, 1],
    ['line\n{% include "x" %}', 'the tag "include" is not available', 2, 1],
    ['{% render "x" %}', 'the tag "render" is not available', 1, 1],
    ['{% layout "x" %}', 'the tag "layout" is not available', 1, 1],
    ['{% block x %}{% endblock %}', 'the tag "block" is not available', 1, 1],
    ['{{ }}', 'a value is missing', 1, 4],
    ['{{ a ?? }}', 'invalid expression', 1, 4],
    ['{{ ?? "b" }}', 'invalid expression', 1, 4],
    ['{{ a == }}', 'invalid expression', 1, 4],
    ['{{ "a" "b" }}', 'invalid expression', 1, 4],
    ['{{ a. }}', 'a property name is missing after the dot', 1, 6],
    ['{{ a[0 }}', '[ not closed', 1, 5],
    ['{{ a | }}', 'expected filter name', 1, 7],
    ['{{ a | append: }}', 'expected an argument', 1, 15],
    ['{{ a ! }}', 'unexpected', 1, 6],
    ['{{ (1.5) }}', 'invalid range syntax', 1, 4],
    ["{{ don't }}", 'not closed', 1, 1],
    ['{% if x == "a %}b{% endif %}', 'the text is not closed', 1, 12],
    ['{% nope %}', 'tag "nope" not found', 1, 1],
    ['{% for x of y %}{% endfor %}', 'illegal tag', 1, 1],
    ['{{ x | where_exp: "a", "a" }}', 'undefined filter: where_exp', 1, 8],
    ['a\r\nb\r\n  {{ x | shout }}', 'undefined filter: shout', 3, 10],
    ['\r\n\r\n{% unknown %}', 'tag "unknown" not found', 3, 1],
    ['\n\n\t{{ x |\n  shout }}', 'undefined filter: shout', 4, 3],
    ['ü😀 {{ x | shout }}', 'undefined filter: shout', 1, 12],
    ['{% liquid\n assign a = 1\n echo a | nope\n%}', 'undefined filter: nope', 3, 11],
    ['{% for i in\n  a[ %}{% endfor %}', '[ not closed', 2, 4],
    ['{% for i in a ?? %}{% endfor %}', 'a value is missing after ??', 1, 17],
    [`${'{% if a %}'.repeat(101)}${'{% endif %}'.repeat(101)}`, 'nested too deeply', 1, 1001],
  ])('%s: %s at %i:%i', (source, message, line, column) => {
    const compiled = compileTemplate(source, 'html');
    if (compiled.ok) throw new Error('it parses');
    expect(compiled.error).toEqual({ message: expect.stringContaining(message), line, column });
    expect(compiled.error.message).not.toContain('line:');
  });

  it.each(['{% if "#" %}', '{{ "#', '{{ a | # }}', '{% raw %}#', '{% # }}', '{{ a ! # }}', '{% #'])(
    'have a short message, however long %s is',
    (source) => {
      const compiled = compileTemplate(source.replace('#', 'x\n'.repeat(10_000)), 'html');
      expect(!compiled.ok && compiled.error.message.length).toBeLessThanOrEqual(200);
    },
  );
});

describe('template cache', () => {
  it('compiles a source once for each kind, and caches failures', () => {
    const cache = createTemplateCache(100_000);
    const html = cache.compile('{{ name }}', 'html');
    const failed = cache.compile('{{', 'html');
    expect(cache.compile('{{ name }}', 'html')).toBe(html);
    expect(cache.compile('{{', 'html')).toBe(failed);
    expect(cache.compile('{{ name }}', 'text')).not.toBe(html);
  });

  it('evicts the least recently used beyond its size', () => {
    const cache = createTemplateCache(10_000);
    const first = cache.compile('{{ a }}', 'html');
    cache.compile(`x${'y'.repeat(1000)}`, 'html');
    expect(cache.compile('{{ a }}', 'html')).toBe(first);
    cache.compile(`z${'y'.repeat(3900)}`, 'html');
    expect(cache.compile('{{ a }}', 'html')).not.toBe(first);
    expect(cache.compile('y'.repeat(50_000), 'html').ok).toBe(true);
  });

  it.each([
    ['subjects', (n: number) => `Order ${n}`, 'text'],
    ['subjects with an output', (n: number) => `Order ${n} of {{ name }}`, 'text'],
    ['many outputs', (n: number) => `${n}${'{{a}}'.repeat(100)}`, 'html'],
    ['faults', (n: number) => `${n}{{`, 'text'],
  ] as const)('keeps to its memory: %s', (_name, sourceOf, kind) => {
    const megabyte = 1_000_000;
    const cache = createTemplateCache(2 * megabyte);
    const entries = Math.ceil((16 * megabyte) / (500 + 200 * sourceOf(0).length));
    const before = heapUsed();
    for (let n = 0; n < entries; n++) cache.compile(sourceOf(n), kind);
    // Half of its memory is for each kind; an estimate is within a factor of three.
    expect(heapUsed() - before).toBeLessThan(3 * megabyte);
    cache.compile(sourceOf(0), kind);
  });
});

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
