import { expect, it } from 'vitest';
import {
  holdLiquid,
  labelOf,
  partsOf,
  readOutput,
  releaseLiquid,
  withExpression,
  writeOutput,
} from './liquid.ts';

it.each([
  'Hello {{ name ?? "<you>" }}{{name}}',
  '{% if a > 1 %}One{% else %}{{- b | upcase -}}{% endif %}',
  'A brace { and {{ one that never ends',
  '',
])('Liquid in %j can be held and released', (text) => {
  const sources: string[] = [];
  const held = holdLiquid(text, sources);
  expect(held).not.toMatch(/\{\{.*\}\}|\{%/);
  expect(releaseLiquid(held, sources)).toBe(text);
  const parts = partsOf(held).map((part) => (typeof part === 'number' ? sources[part] : part));
  expect(parts.join('')).toBe(text);
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
