import { describe, expect, it } from 'vitest';
import { RenderBudget } from './render-budget.ts';
import { compileTemplate, maxTemplateBytes } from './template.ts';
import { boundCpu } from './testing/cpu-bound.ts';
import { compiledTemplate, renderTemplate } from './testing/render-template.ts';

const maxOutputCharacters = 2 * 1024 * 1024;

const kilobytes = 1024;

function fill(piece: string, characters = 500 * kilobytes): string {
  return piece.repeat(Math.floor(characters / piece.length));
}

/** Builds a text of about a million characters in the variable `s` by doubling a seed. */
function long(seed: string, doublings = 18): string {
  return `{% assign s = ${JSON.stringify(seed)} %}{% for i in (1..${doublings}) %}{% assign s = s | append: s %}{% endfor %}`;
}

function list(elements: number): string {
  return `{% assign a = "b,a,c,d" | split: "," %}{% for i in (3..${Math.floor(Math.log2(elements))}) %}{% assign a = a | concat: a %}{% endfor %}`;
}

/** A list that holds itself, twice at every level: small in memory, endless to read. */
const selfHolding =
  '{% assign a = "x,y" | split: "," %}{% for i in (1..60) %}{% assign a = a | push: a | push: a %}{% endfor %}';

/** Templates that try to hold the process or to fill its memory, by what they do. */
const hostileTemplates: Readonly<Record<string, string>> = {
  'an endless range': '{% for i in (1..1000000000) %}x{% endfor %}',
  'a range between numbers that do not grow':
    '{% for i in (9007199254740992..9007199254740994) %}x{% endfor %}',
  'a range from minus infinity':
    '{% assign z = 1 | divided_by: 0 | times: -1 %}{% for i in (z..1) %}x{% endfor %}',
  'loops in loops': '{% for i in (1..99999) %}{% for j in (1..99999) %}{% endfor %}{% endfor %}',
  'loops that write': '{% for i in (1..9999) %}{% for j in (1..9999) %}some text{% endfor %}{% endfor %}',
  'loops that evaluate':
    '{% for i in (1..9999) %}{% for j in (1..9999) %}{% if i == j and i > 3 or j contains "x" %}{% endif %}{% endfor %}{% endfor %}',
  'a table of rows':
    '{% tablerow i in (1..99999) cols:3 %}{% for j in (1..99999) %}{% endfor %}{% endtablerow %}',
  'a cycle in loops':
    '{% for i in (1..99999) %}{% for j in (1..999) %}{% cycle "a", "b", i %}{% endfor %}{% endfor %}',
  'counters in loops':
    '{% for i in (1..99999) %}{% for j in (1..999) %}{% increment c %}{% endfor %}{% endfor %}',
  'a text that doubles': `${long('x', 100)}{{ s }}`,
  'a text that doubles in captures':
    '{% assign s = "x" %}{% for i in (1..100) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}',
  'a replacement of every character': `${long('ab', 15)}{{ s | replace: "", s }}`,
  'replacements that grow': `{% assign s = "a" %}{% for i in (1..50) %}{% assign s = s | replace: "a", "aaaaaaaaaa" %}{% endfor %}{{ s }}`,
  'texts escaped over and over': `${long('&', 16)}{% for i in (1..999) %}{% assign s = s | escape %}{% endfor %}{{ s }}`,
  'JSON of JSON':
    '{% assign s = "\\"\\"" %}{% for i in (1..99) %}{% assign s = s | json %}{% endfor %}{{ s }}',
  'Base64 of Base64': `${long('x', 14)}{% for i in (1..99) %}{% assign s = s | base64_encode %}{% endfor %}{{ s }}`,
  'URL encoding of umlauts': `${long('ä', 17)}{{ s | url_encode | cgi_escape | uri_escape | size }}`,
  'a long text in loops': `${long('x', 17)}{% for i in (1..9999) %}{{ s | upcase | downcase | size }}{% endfor %}`,
  'spaces to be squished': `${long(' ', 18)}{{ s | squish | normalize_whitespace | strip | size }}`,
  'tags to be stripped': `${long('<', 17)}{{ s | strip_html | size }}`,
  'comments to be stripped': `${long('<!--<script', 14)}{{ s | strip_html | size }}`,
  'a long slug': `${long('ä-', 17)}{{ s | slugify: "latin" | size }}`,
  'words to be counted': `${long('ä 漢', 16)}{{ s | number_of_words: "auto" }}`,
  'lines to be broken': `${long('\\n', 17)}{{ s | newline_to_br | size }}`,
  'a text split into characters': `${long('ab', 17)}{{ s | split: "" | sort_natural | join | size }}`,
  'a long list sorted': `${list(100_000)}{{ a | sort_natural | sort | size }}`,
  'a long list made unique': `${list(100_000)}{{ a | uniq | size }}`,
  'a long list searched by a long path': `{% assign p = "a.b.c.d.e.f.g.h" %}${list(4096)}{% for i in (1..9) %}{% assign p = p | append: "." | append: p %}{% endfor %}{{ a | map: p | size }}`,
  'a long list filtered': `${list(50_000)}{{ a | where: "x.y.z", "b" | size }}`,
  'a long list grouped': `${list(50_000)}{{ a | group_by: "x" | size }}`,
  'a long list in loops': `${list(2048)}{% for i in (1..9999) %}{{ a | sort | first }}{% endfor %}`,
  'a long list compared': `${list(16_384)}{% for i in (1..9999) %}{% if a == a %}{% endif %}{% endfor %}`,
  'a long list searched': `${list(16_384)}{% for i in (1..9999) %}{% if a contains "zz" %}{% endif %}{% endfor %}`,
  'an endless list printed': `${selfHolding}{{ a }}`,
  'an endless list joined': `${selfHolding}{{ a | join: "," }}`,
  'an endless list as JSON': `${selfHolding}{{ a | json }}`,
  'an endless list compared': `${selfHolding}{% if a == a %}x{% endif %}`,
  'an endless list appended': `${selfHolding}{{ "x" | append: a }}`,
  'an endless list as a case': `${selfHolding}{% case a %}{% when a %}x{% endcase %}`,
  'an endless list echoed': `${selfHolding}{% echo a %}`,
  'an endless list in a cycle': `${selfHolding}{% cycle a, a %}`,
  'an endless list sorted': `${selfHolding}{{ a | sort | size }}`,
  'a deep list':
    '{% assign a = "x" | split: "," %}{% for i in (1..99999) %}{% assign b = "y" | split: "," %}{% assign a = b | push: a %}{% endfor %}{{ a | json }}',
  ...Object.fromEntries(
    [
      'find',
      'find_index',
      'group_by',
      'has',
      'map',
      'reject',
      'sort',
      'sort_natural',
      'sum',
      'where',
    ].flatMap((filter) => [
      [`a list as the property of ${filter}`, `${list(16_384)}{{ a | ${filter}: a | size }}`],
      [`objects as the property of ${filter}`, `{{ rows | ${filter}: rows | size }}`],
      [`a list to be compared by ${filter}`, `${list(16_384)}{{ rows | ${filter}: "name", a | size }}`],
    ]),
  ),
  'a long number to slice by': `${long('9', 17)}{{ s | slice: s }}`,
  'a long number to slice a list by': `${long('9', 17)}${list(1024)}{{ a | slice: s, s | size }}`,
  'a long number to truncate by': `${long('0', 17)}{% assign n = s | append: "99999" %}{{ s | truncate: n | truncatewords: n | size }}`,
  'a date with a wide field': '{{ "now" | date: "%999999999Y" }}',
  'a date with many fields': `{{ "now" | date: "${fill('%A')}" }}`,
  'dates in loops': '{% for i in (1..99999) %}{{ "2024-05-01" | date: "%A %B %c" }}{% endfor %}',
  'dates in many time zones':
    '{% for i in (1..99999) %}{% assign z = "Etc/GMT+" | append: i %}{{ "now" | date: "%c", z }}{% endfor %}',
  'a long text as a date': `${long('9', 18)}{{ s | date: "%Y" }}`,
  'a text cut at its end': `${long('ä', 18)}{{ s | truncate: 999999999 | slice: -999999, 999999999 | size }}`,
  'hashes in loops': `${long('x', 12)}{% for i in (1..99999) %}{{ s | hmac_sha256: s }}{% endfor %}`,
  'many outputs': fill('{{a}}'),
  'many filters': `{{ a${fill('|upcase')} }}`,
  'many operands': `{% if a${fill(' or a')} %}{% endif %}`,
  'many fallbacks': `{{ a${fill('??a')} }}`,
  'many fallbacks after filters': `{{ a${fill('|upcase??a')} }}`,
  'many arguments': `{{ a | append: ${fill('a,')}a }}`,
  'a long path': `{{ a${fill('.b')} }}`,
  'many outputs that do much': fill('<p>{{ data.first name ?? "x" | upcase | append: "y" }}</p>'),
  'a long word': `{{ ${fill('a')} }}`,
  'a long word in a tag': `{% if ${fill('a')} %}{% endif %}`,
  'a long number': `{{ ${fill('9')} }}`,
  'many minus signs': `{{ ${fill('-')} }}`,
  'a long text': `{{ "${fill('a')}" | upcase }}`,
  'long literal text in captures': `{% for i in (1..9999) %}{% capture x %}${fill('y', 400 * kilobytes)}{% endcapture %}{{ x | size }}{% endfor %}`,
  'many captures': `${long('x', 17)}${Array.from({ length: 1500 }, (_, index) => `{% capture v${index} %}{{ s | raw }}{{ s | raw }}x{% endcapture %}{% if v${index} == "y" %}{% endif %}`).join('')}`,
  'a long name': `{{ a${fill(' b')} }}`,
  'nested conditions': fill('{%if a%}'),
  'nested loops': `${'{%for i in (1..9)%}'.repeat(99)}x${'{%endfor%}'.repeat(99)}`,
  'nested brackets': `{{ ${fill('a[')} }}`,
  'nested ranges': `{{ ${fill('(')} }}`,
  'lines of Liquid': `{% liquid\n${fill('echo a\n')} %}`,
  'many blocks of Liquid': fill('{%liquid echo a%}'),
  'many branches': `{% case a %}${fill('{%when a%}x')}{% endcase %}`,
  'many values of a branch': `{% case a %}{% when ${fill('"b",')}"c" %}x{% endcase %}`,
  'long lists as values of a branch': `${list(65_536)}{% assign b = a | push: "y" %}{% assign c = a | push: "z" %}{% case b %}{% when ${'c,'.repeat(4000)}c %}x{% endcase %}`,
  'a long list as a key': `${list(262_144)}{% for i in (1..9999) %}{{ x[a] }}{{ [a] }}{% endfor %}`,
  'unclosed outputs': fill('{{ '),
  'unclosed tags': fill('{% '),
  'unclosed texts': fill('{{ "'),
  'unclosed comments': fill('{%comment%}'),
  'unclosed raw': fill('{%raw%}'),
  braces: fill('{'),
  'trimmed blanks': fill('{{-a-}}    '),
};

/** As much data as a contact may have. */
const contactData = {
  rows: Array.from({ length: 1000 }, (_, index) => ({ name: `row ${index}`, tags: ['a', 'b'] })),
};

describe('hostile templates', () => {
  it.each(Object.entries(hostileTemplates))('bounds %s', (_name, source) => {
    expect(Buffer.byteLength(source)).toBeLessThanOrEqual(maxTemplateBytes);
    const compiled = boundCpu(() => compileTemplate(source, 'html'));
    if (!compiled.ok) {
      expect(compiled.error.message).toMatch(/too long|too deeply|at most|not closed/);
      return;
    }
    const rendered = boundCpu(() => compiled.template.render(contactData, { now: new Date(0) }));
    if (rendered.ok) expect(rendered.output.length).toBeLessThanOrEqual(maxOutputCharacters);
  });

  it('stops what has no end', () => {
    const endless = Object.entries(hostileTemplates).filter(([name]) =>
      /^an endless|loops in loops|doubles/.test(name),
    );
    expect(endless.length).toBeGreaterThan(10);
    for (const [name, source] of endless) {
      expect(renderTemplate(source, {}), name).toMatch(/^limit (time|work|output)$/);
    }
  });

  it('refuses a source of more than 512 KB', () => {
    expect(compileTemplate('x'.repeat(maxTemplateBytes), 'html').ok).toBe(true);
    expect(compileTemplate('x'.repeat(maxTemplateBytes + 1), 'html')).toMatchObject({ ok: false });
    expect(compileTemplate('ä'.repeat(maxTemplateBytes / 2), 'html').ok).toBe(true);
    expect(compileTemplate('ä'.repeat(maxTemplateBytes / 2 + 1), 'html')).toMatchObject({
      error: { message: 'a template has at most 512 KB', line: 1, column: 1 },
    });
  });

  it('shares one budget between the parts of an email', () => {
    const template = compiledTemplate('{% for i in (1..60000) %}{% endfor %}');
    const budget = new RenderBudget({ cpuMs: 10_000, workUnits: 300_000, outputCharacters: 10 });
    const options = { now: new Date(0), budget };
    expect(template.render({}, options)).toEqual({ ok: true, output: '' });
    expect(template.render({}, options)).toEqual({ ok: false, limit: 'work' });
  });

  it('does not count time in which the thread did not run', () => {
    const budget = new RenderBudget({ cpuMs: 30, workUnits: 1e9, outputCharacters: 10 });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    for (let step = 0; step < 1000; step++) budget.step();
    const spin = () => {
      for (;;) budget.step();
    };
    expect(spin).toThrow('time');
  });

  it('gives hostile paths nothing', () => {
    const paths = [
      'constructor',
      '__proto__',
      'prototype',
      'toString',
      'valueOf',
      'hasOwnProperty',
      '__defineGetter__',
      'constructor.constructor',
      '__proto__.polluted',
    ];
    const roots = ['', 'data.', 'name.', 'list.', 'number.', 'data.nested.', 'missing.'];
    const source = [
      ...roots.flatMap((root) =>
        paths.flatMap((path) => [`{{ ${root}${path} }}`, `{{ ${root}${path}.name }}`]),
      ),
      ...paths.map((path) =>
        `{{ data["${path}"] }}{{ list | map: "${path}" }}{{ list | where: "${path}" | size | minus: 0 }}`.replace(
          /\| size \| minus: 0/,
          '',
        ),
      ),
      `{% for item in list %}${paths.map((path) => `{{ forloop.${path} }}{{ item.${path} }}`).join('')}{% endfor %}`,
      ...paths.map((path) => `{% assign x = "${path}" %}{{ data[x] }}{{ list[x] }}`),
    ].join('');
    const variables = { name: 'Ada', number: 1, list: [{ a: 1 }, 'text'], data: { nested: { a: 1 } } };
    expect(renderTemplate(source, variables, { kind: 'html' })).toBe('');
  });

  it('pollutes no prototype and changes no variable', () => {
    const source = `{% assign __proto__ = "x" %}{% assign constructor = "y" %}{% capture toString %}z{% endcapture %}
      {% increment __proto__ %}{% increment n %}{% decrement data %}{% assign data = "gone" %}{% assign list = list | push: 3 %}
      {% for __proto__ in list %}{{ __proto__ }}{% endfor %}{{ list | sort | reverse | first }}`;
    const variables = { n: 1, list: [2, 1], data: { a: 1 } };
    expect(renderTemplate(source, variables, { kind: 'html' })).not.toMatch(/^limit /);
    expect(variables).toEqual({ n: 1, list: [2, 1], data: { a: 1 } });
    expect(Object.getPrototypeOf(variables)).toBe(Object.prototype);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(`${{}}`).toBe('[object Object]');
  });
});
