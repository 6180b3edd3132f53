import fc from 'fast-check';
import { Liquid } from 'liquidjs';
import { describe, expect, it } from 'vitest';
import { renderTemplate } from './testing/render-template.ts';

// Liquid as published, for everything that this service does not change.
const liquid = new Liquid({ ownPropertyOnly: true, timezoneOffset: 0, locale: 'en-US' });

const words = ['a', 'b', 'n', 'list', 'missing'];
const strings = ['', 'x', 'Hello World', 'ä&<>"', '10', ' padded ', 'a,b,c'];

const path = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(
    'deep.inner',
    'deep.inner.size',
    'list[0]',
    'list.first',
    'list.size',
    'list[-1]',
    'missing.x',
    'deep["inner"]',
    'list[n]',
  ),
);
const literal = fc.oneof(
  fc.constantFrom(...strings).map((text) => `'${text}'`),
  fc.constantFrom('0', '1', '3', '-2', '1.5', 'true', 'false'),
);
const value = fc.oneof({ weight: 3, arbitrary: path }, literal);
const filter = fc.oneof(
  fc.constantFrom(
    'upcase',
    'downcase',
    'capitalize',
    'size',
    'strip',
    'escape',
    'reverse',
    'first',
    'last',
    'compact',
    'uniq',
    'abs',
    'url_encode',
    'squish',
    'sort',
    'strip_html',
    'json',
    'newline_to_br',
  ),
  fc
    .tuple(
      fc.constantFrom(
        'append',
        'prepend',
        'default',
        'plus',
        'minus',
        'times',
        'at_most',
        'split',
        'remove',
        'join',
        'truncate',
        'concat',
      ),
      value,
    )
    .map(([name, argument]) => `${name}: ${argument}`),
  fc
    .tuple(fc.constantFrom('replace', 'slice'), fc.constantFrom("'a', 'b'", '0, 2', '-2, 2'))
    .map(([name, list]) => `${name}: ${list}`),
);
const filters = fc.array(filter, { maxLength: 3 }).map((list) => list.map((item) => ` | ${item}`).join(''));
const scalar = fc.oneof(
  fc.constantFrom('a', 'b', 'n', 'missing', 'list[0]', 'list.size', 'deep.inner'),
  literal,
);
// Only comparisons know these as values; elsewhere Liquid shows its own objects.
const comparable = fc.oneof({ weight: 3, arbitrary: value }, fc.constantFrom('nil', 'empty', 'blank'));
const comparison = fc
  .oneof(
    fc.tuple(value, fc.constantFrom('==', '!=', 'contains'), value),
    fc.tuple(value, fc.constantFrom('==', '!='), comparable),
    // Lists are never ordered by this service; Liquid compares them as JavaScript does.
    fc.tuple(scalar, fc.constantFrom('<', '>', '<=', '>='), scalar),
  )
  .map((parts) => parts.join(' '));
const condition = fc.oneof(
  value,
  comparison,
  fc.tuple(comparison, fc.constantFrom('and', 'or'), comparison).map((parts) => parts.join(' ')),
  comparison.map((text) => `not ${text}`),
  fc
    .array(fc.oneof(comparison, value), { minLength: 3, maxLength: 4 })
    .chain((list) =>
      fc.constantFrom(
        list.join(' and '),
        list.join(' or '),
        `${list.slice(0, 2).join(' and ')} or ${list.slice(2).join(' and ')}`,
      ),
    ),
);
const output = fc.tuple(value, filters).map(([name, list]) => `{{ ${name}${list} }}`);

const { template } = fc.letrec<{ template: string; node: string }>((tie) => ({
  template: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'template' },
    fc.constantFrom('text ', '{{- "t" -}} ', '\n', '{', '%}'),
    output,
    fc
      .tuple(condition, tie('template'), tie('template'))
      .map(([test, yes, no]) => `{% if ${test} %}${yes}{% else %}${no}{% endif %}`),
    fc.tuple(condition, tie('template')).map(([test, body]) => `{% unless ${test} %}${body}{% endunless %}`),
    fc
      .tuple(
        fc.constantFrom('list', '(1..3)', 'deep', 'missing', '(n..4)'),
        fc.constantFrom('', ' limit: 2', ' offset: 1', ' reversed'),
        tie('template'),
      )
      .map(
        ([list, modifier, body]) =>
          `{% for item in ${list}${modifier} %}{{ forloop.index }}${body}{% else %}none{% endfor %}`,
      ),
    fc
      .tuple(fc.constantFrom('v', 'w'), value, filters)
      .map(([name, from, list]) => `{% assign ${name} = ${from}${list} %}{{ ${name} }}`),
    tie('template').map((body) => `{% capture v %}${body}{% endcapture %}{{ v | size }}`),
    fc
      .tuple(value, literal, tie('template'))
      .map(
        ([subject, when, body]) =>
          `{% case ${subject} %}{% when ${when}, 'x' %}${body}{% else %}other{% endcase %}`,
      ),
    fc.constantFrom(
      '{% increment k %}',
      '{% cycle "x", "y" %}',
      '{% echo a %}',
      '{% raw %}{{ a }}{% endraw %}',
      '{% comment %}{{ a }}{% endcomment %}',
    ),
  ),
}));

// No nulls: this service treats null as missing, Liquid does not.
const variables = fc.record({
  a: fc.constantFrom(...strings, 5, 0, true, false),
  b: fc.constantFrom(...strings, 1.5, -3),
  n: fc.constantFrom(0, 1, 2, 7),
  list: fc.array(fc.constantFrom('z', 'b', 'a', 'b'), { maxLength: 4 }),
  deep: fc.record({ inner: fc.constantFrom('in', 4) }),
});

describe('standard templates', () => {
  it('render as in Liquid', () => {
    let rendered = 0;
    fc.assert(
      fc.property(template, variables, (source, values) => {
        let expected: unknown;
        try {
          expected = liquid.parseAndRenderSync(source, structuredClone(values));
        } catch {
          return; // Where Liquid fails on its data, this service continues.
        }
        expect(renderTemplate(source, values)).toBe(expected);
        rendered++;
      }),
      { numRuns: 3000 },
    );
    expect(rendered).toBeGreaterThan(1500);
  });
});
