import { expect, it } from 'vitest';
import { validationFailed } from './errors.ts';

it('a failed validation reports a hundred issues, and long fields shortened', () => {
  const issues = Array.from({ length: 1_000 }, (_, n) => ({
    field: `${n}.${'k'.repeat(1_000)}`,
    message: 'Required',
    code: 'invalid_type',
  }));
  const { issues: reported = [] } = validationFailed(issues);
  expect(reported).toHaveLength(100);
  expect(reported[7]).toEqual({ ...issues[7], field: `7.${'k'.repeat(298)}…` });
  expect(
    validationFailed([{ field: 'a.b', message: 'Required', code: 'invalid_type' }]).issues?.[0]?.field,
  ).toBe('a.b');
});
