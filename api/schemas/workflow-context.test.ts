import { expect, it } from 'vitest';
import { workflowContextSchema } from './workflow-context.ts';

it('a context is measured as it was sent, without a look at each member first', () => {
  const sent = { plan: 'pro', tags: ['a'] };
  expect(workflowContextSchema.parse(sent)).toBe(sent);
  const faultsOf = (value: unknown) =>
    workflowContextSchema.safeParse(value).error?.issues.map(({ message, path }) => [message, path]);
  expect(faultsOf({ a: 'x'.repeat(64 * 1024) })).toEqual([['At most 64 KB of JSON are accepted', []]]);
  expect(faultsOf([])).toEqual([['Must be an object', []]]);
});
