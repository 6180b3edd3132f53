import { Token } from 'liquidjs';
import { expect, it, vi } from 'vitest';
import { createEmailTemplates } from '../rendering/email-template.ts';
import { findUnknownFields } from './unknown-fields.ts';

const longKey = Array.from({ length: 128 }, () => 'a').join('.');
const keys = ['plan', longKey, 'First Name', 'address', "dog's name", 'car.colour', 'terms and conditions'];
const variables = { email: 'ada@example.com', unsubscribeUrl: '', data: { sample: 1 }, sample: 1 };

function problemsOf(source: { subject: string; body: string }, takesVariables = false) {
  const compiled = createEmailTemplates().compile(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return findUnknownFields(compiled.template, { keys, variables, takesVariables });
}
const messages = (body: string) => problemsOf({ subject: '', body }).map(({ message }) => message);

it.each([
  '{{ plan }}',
  '{{plan|upcase}}',
  '{% liquid echo plan %}',
  '{{ address.street }} {{ data.address.lines[0] }}',
  '{{ data.plan }} {{ data }}',
  `{{ data['First Name'] }} {{ First Name }} {{ data.First Name }} {{ data["dog's name"] }}`,
  '{{ car.colour }} {{ data.car.colour }}',
  '{{ sample }} {{ data.sample }}',
  `{{ ${longKey} }} {{ data.${longKey}.b }}`,
  '{{- unsubscribeUrl -}}',
  '{{ plann ?? "free" }}',
  '{{ firstName ?? plan }} {{ firstName ?? plan ?? "free" }} {{ First Name ?? "there" }}',
  `{{ nick | default: 'you' }}`,
  '{% assign total = 5 %}{{ total }}',
  '{% capture total %}5{% endcapture %}{{ total }}',
  '{% for tag in address.tags %}{{ tag }} {{ forloop.index }}{% endfor %}',
  '{% tablerow tag in address.tags %}{{ tag }}{% endtablerow %}',
  '{% increment count %}{{ count }}',
  `{{ 'text' }} {{ 5 }} {{ true }} {{ (1..3) }}`,
  '{{ plan == "pro" }} {{ plan and nick }} {{ terms and conditions }}',
  '{{ data[plan] }}',
  '{% raw %}{{ plann }}{% endraw %}{% comment %}{{ plann }}{% endcomment %}',
  '{% if nick %}Hi{% endif %}',
])('%s shows something, or is meant not to', (body) => expect(messages(body)).toEqual([]));

it.each([
  ['{{ plann }}', 'No contact has a field “plann”, so nothing shows there'],
  ['{{ data.plann }}', 'No contact has a field “plann”, so nothing shows there'],
  [`{{ data['plann'].x }}`, 'No contact has a field “plann”, so nothing shows there'],
  ['{{ event.name }}', 'No contact has a field “event”, so nothing shows there'],
  ['{{ car.color }}', 'No contact has a field “car”, so nothing shows there'],
  ['{{ Last Name }}', 'No contact has a field “Last Name”, so nothing shows there'],
  ['{% if plan %}{{ plann }}{% endif %}', 'No contact has a field “plann”, so nothing shows there'],
  ['{% liquid\nif plan\n  echo plann\nendif %}', 'No contact has a field “plann”, so nothing shows there'],
  [
    '{{ first name | upcase }}',
    'No contact has a field “first name”, so nothing shows there. Did you mean “First Name”?',
  ],
  [`{{ data['car.colour.x'] }}`, 'No contact has a field “car.colour.x”, so nothing shows there'],
  ['{{ Plan }}', 'No contact has a field “Plan”, so nothing shows there. Did you mean “plan”?'],
  [
    '{{ first_name }}',
    'No contact has a field “first_name”, so nothing shows there. Did you mean “First Name”?',
  ],
])('%s stays empty', (body, message) => expect(messages(body)).toEqual([message]));

it.each(['{{ firstName ?? "there" }}', `{{ data.firstName | default: 'there' }}`])(
  '%s shows a field of contacts under a name that none has',
  (body) =>
    expect(messages(body)).toEqual([
      'No contact has a field “firstName”, so only the fallback shows there. Did you mean “First Name”?',
    ]),
);

it('takes unknown fields for variables of the request, unless contacts have one of almost the same name', () => {
  const body =
    '{{ code }} {{ code }} {{ first_name }} {{ data.total }}{{ event.id }}{{ context.id }} {{ nick ?? "" }}';
  expect(problemsOf({ subject: '{{ FirstName ?? "there" }}', body }, true)).toEqual([
    {
      code: 'unknown_field',
      severity: 'warning',
      message: 'No contact has a field “FirstName”. Did you mean “First Name”?',
      field: 'subject',
      line: 1,
      column: 1,
    },
    {
      code: 'unknown_field',
      severity: 'warning',
      message: 'No contact has a field “first_name”. Did you mean “First Name”?',
      field: 'body',
      line: 1,
      column: 23,
    },
    {
      code: 'variable_needed',
      severity: 'info',
      message:
        'No contact has the fields “code” and “total”. They stay empty unless the request that sends this passes them',
    },
  ]);
  expect(problemsOf({ subject: 'Hi', body: '{{ code }}' }, true)).toMatchObject([
    { message: 'No contact has a field “code”. It stays empty unless the request that sends this passes it' },
  ]);
});

it('locates the first twenty', () => {
  expect(problemsOf({ subject: 'Hi {{ plann }}', body: '<p>\n  {{ nick }}' })).toMatchObject([
    { code: 'unknown_field', severity: 'warning', field: 'subject', line: 1, column: 4 },
    { field: 'body', line: 2, column: 3, message: expect.stringContaining('shows there') },
  ]);
  expect(messages('{{ nick }}'.repeat(21))).toHaveLength(20);
});

it('reads a path only as far as a key may reach', () => {
  expect(messages(`{{ b${'.b'.repeat(200_000)} }}`)).toEqual([
    'No contact has a field “b”, so nothing shows there',
  ]);
});

it('locates only what it reports', () => {
  const getPosition = vi.spyOn(Token.prototype, 'getPosition');
  expect(messages('{{ plan }}{{ nick }}'.repeat(1_000))).toHaveLength(20);
  expect(getPosition).toHaveBeenCalledTimes(20);
  getPosition.mockRestore();
});
