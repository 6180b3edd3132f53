import { expect, it } from 'vitest';
import { holdCode, labelOf, readOutput, releaseCode, withExpression, writeOutput } from './liquid.ts';

it.each([
  'Hello {{ name ?? "<you>" }}{{name}}',
  '{% if a > 1 %}One{% else %}{{- b | upcase -}}{% endif %}',
  'A brace { and {{ one that never ends',
  '<!--[if mso]><td width="{{ width }}"><![endif]-->One<!-- two --><![endif]>',
  '',
])('Liquid and comments in %j are replaced, and restored', (text) => {
  const sources: string[] = [];
  const held = holdCode(text, sources);
  expect(held).not.toMatch(/\{\{.*\}\}|\{%|<!/);
  expect(releaseCode(held, sources)).toBe(text);
});

it.each<[string, ReturnType<typeof readOutput>, string]>([
  ['{{ name }}', { name: 'name', fallback: '' }, 'name'],
  ['{{first name??"you"}}', { name: 'first name', fallback: 'you' }, 'first name or “you”'],
  ['{{ data.city ?? "" }}', { name: 'data.city', fallback: '' }, 'data.city'],
  ['{{ name | upcase }}', undefined, 'name | upcase'],
  [`{{ data['a-b'] ?? "x" }}`, undefined, `data['a-b'] ?? "x"`],
  ['{% if plan %}', undefined, 'if plan'],
])('%s has a name and another text: %j', (source, output, label) => {
  expect(readOutput(source)).toEqual(output);
  expect(labelOf(source)).toBe(label);
});

it('an expression that is typed can neither end its output nor begin another', () => {
  expect(withExpression('{{- name -}}', ' a }} {{ b %} ')).toBe('{{- a   b -}}');
  expect(withExpression('{% if a %}', 'if b %}')).toBe('{% if b %}');
  expect(writeOutput('name', 'say "you" }}')).toBe(`{{ name ?? "say 'you' " }}`);
  expect(writeOutput('name', '')).toBe('{{ name }}');
});
