import { expect, it } from 'vitest';
import { subjectTestParts } from './subject-test.ts';

const from = (value: number) => ({ field: 'randomGroup', operator: 'greaterThanOrEqual', value });
const below = (value: number) => ({ field: 'randomGroup', operator: 'lessThan', value });
const range = (first: number, end: number) => ({ filters: [from(first), below(end)] });
const around = (first: number, end: number) => ({
  filters: [],
  conditions: { logic: 'OR', groups: [{ filters: [from(first)] }, { filters: [below(end)] }] },
});

it.each([
  [10, 0, [range(0, 10), range(10, 20), range(20, 100)]],
  [10, 80, [range(80, 90), range(90, 100), range(0, 80)]],
  [20, 50, [range(50, 70), range(70, 90), around(90, 50)]],
  [20, 70, [range(70, 90), around(90, 10), range(10, 70)]],
  [20, 99, [around(99, 19), range(19, 39), range(39, 99)]],
  [50, 30, [range(30, 80), around(80, 30)]],
])('a test of %i%% from group %i divides the groups', (percent, first, expected) => {
  const parts = subjectTestParts([], percent, first);
  expect(parts.map(({ name }) => name)).toEqual(['A', 'B', 'the rest'].slice(0, expected.length));
  expect(parts.map(({ condition }) => condition)).toEqual(
    expected.map((group) => ({ logic: 'AND', groups: [group] })),
  );
});

it('keeps to the audience', () => {
  const audience = [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }];
  const [first] = subjectTestParts(audience, 10, 0);
  expect(first?.condition).toEqual({ logic: 'AND', groups: [...audience, range(0, 10)] });
});
