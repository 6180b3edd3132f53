import { expect, it } from 'vitest';
import { z } from 'zod';
import { issueForPeople } from './issue-words.ts';

const messageOf = (schema: z.ZodType, value: unknown) =>
  issueForPeople(schema.safeParse(value).error?.issues[0]?.message ?? '');

it.each([
  [z.string().max(100), 'x'.repeat(101), 'Use at most 100 characters'],
  [z.string().min(10), 'x', 'Use at least 10 characters'],
  [z.array(z.string()).max(3), ['a', 'b', 'c', 'd'], 'Choose at most 3'],
  [z.number().max(2_147_483_647), 9_999_999_999, 'Enter at most 2147483647'],
  [z.number().gt(0), 0, 'Enter more than 0'],
])('says what fits', (schema, value, words) => {
  expect(messageOf(schema, value)).toBe(words);
});

it('leaves other messages as they are', () => {
  expect(messageOf(z.string().regex(/^a/, 'Begin with an a'), 'b')).toBe('Begin with an a');
});
