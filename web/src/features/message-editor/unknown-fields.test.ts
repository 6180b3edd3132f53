import { expect, it } from 'vitest';
import { unknownFields } from './unknown-fields.ts';

const fields = ['email', 'data.plan', 'data.First Name', 'data.address', "data.dog's name"];
const messages = (body: string) => unknownFields({ subject: '', body }, fields).map(({ message }) => message);

it.each([
  '{{ plan }}',
  '{{plan|upcase}}',
  '{{ address.street }}',
  '{{ data.plan }}',
  `{{ data['First Name'] }} {{ First Name }} {{ data.First Name }}`,
  '{{- unsubscribeUrl -}}',
  '{{ plann ?? "free" }}',
  `{{ nick | default: 'you' }}`,
  '{% assign total = 5 %}{{ total }}',
  '{% for tag in address.tags %}{{ tag }} {{ forloop.index }}{% endfor %}',
  `{{ 'text' }} {{ 5 }} {{ true }}`,
  '{{ plan == "pro" }} {{ plan and nick }}',
  '{{ }}',
])('%s shows something, or is meant not to', (body) => expect(messages(body)).toEqual([]));

it.each([
  ['{{ plann }}', 'No contact has a field “plann”, so nothing shows there'],
  ['{{ data.plann }}', 'No contact has a field “plann”, so nothing shows there'],
  ['{{ Last Name }}', 'No contact has a field “Last Name”, so nothing shows there'],
  [
    '{{ first name | upcase }}',
    'No contact has a field “first name”, so nothing shows there. Did you mean “First Name”?',
  ],
  ['{{ Plan }}', 'No contact has a field “Plan”, so nothing shows there. Did you mean “plan”?'],
])('%s stays empty', (body, message) => expect(messages(body)).toEqual([message]));

it('names the place, and says nothing before the fields are known', () => {
  const content = { subject: '{{ plann }}', body: '<p>\n  {{ nick }}' };
  expect(unknownFields(content, fields)).toMatchObject([
    { field: 'subject', line: 1, column: 1, message: expect.stringContaining('shows in the subject') },
    { field: 'body', line: 2, column: 3, message: expect.stringContaining('shows there') },
  ]);
  expect(unknownFields(content, [])).toEqual([]);
});
