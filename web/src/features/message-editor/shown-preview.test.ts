import { expect, test } from 'vitest';
import { brokenParts, type EmailPreview, withLastGood } from './shown-preview.ts';

const good: EmailPreview = {
  subject: 'Hello',
  html: '<p>Hi</p>',
  text: 'Hi',
  sizeBytes: 9,
  headers: {},
  problems: [],
};
const invalid = (field: 'subject' | 'body') =>
  ({ code: 'invalid_liquid', severity: 'error', message: 'x', field }) as const;

test('a part that can no longer be rendered stays as it was, beside what is new', () => {
  const body = { ...good, subject: 'New', html: '', text: '', sizeBytes: 0, problems: [invalid('body')] };
  expect(brokenParts(body)).toEqual(['body']);
  expect(withLastGood(body, good)).toEqual({ ...good, subject: 'New', problems: body.problems });
  const subject = { ...good, subject: '', html: '<p>New</p>', problems: [invalid('subject')] };
  expect(withLastGood(subject, good)).toMatchObject({ subject: 'Hello', html: '<p>New</p>' });
});

test('an email beyond a limit has no part of its own', () => {
  const problem = { code: 'render_limit', severity: 'error', message: 'x', field: 'subject' } as const;
  const beyond = { ...good, subject: '', html: '', text: '', sizeBytes: 0, problems: [problem] };
  expect(withLastGood(beyond, good)).toEqual({ ...good, problems: [problem] });
  expect(withLastGood(beyond, undefined)).toBe(beyond);
});
