import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition } from './parse-condition.ts';

const filter = { field: 'data.plan', operator: 'equals', value: 'pro' };
const one = (changed: object) => ({ logic: 'AND', groups: [{ filters: [{ ...filter, ...changed }] }] });

function fieldsOf(raw: unknown, path?: string): string[] {
  const result = parseCondition(raw, path);
  return result.ok ? [] : result.issues.map((issue) => issue.field);
}

function nested(depth: number): unknown {
  let tree: unknown = { logic: 'OR', groups: [{ filters: [filter] }] };
  for (let level = 1; level < depth; level++) tree = { logic: 'AND', groups: [{ conditions: tree }] };
  return tree;
}

describe('a condition tree', () => {
  it.each<[string, unknown, string[]]>([
    ['null', null, ['']],
    ['a list', [], ['']],
    ['no logic and no groups', {}, ['logic', 'groups']],
    ['another logic', { logic: 'XOR', groups: [{ filters: [filter] }] }, ['logic']],
    ['no group', { logic: 'AND', groups: [] }, ['groups']],
    ['an empty group', { logic: 'AND', groups: [{}] }, ['groups.0']],
    ['a group of no filters', { logic: 'AND', groups: [{ filters: [] }] }, ['groups.0']],
    ['a group that is not an object', { logic: 'AND', groups: [1] }, ['groups.0']],
    ['filters that are not a list', { logic: 'AND', groups: [{ filters: {} }] }, ['groups.0.filters']],
    [
      'a filter that is not an object',
      { logic: 'AND', groups: [{ filters: ['x'] }] },
      ['groups.0.filters.0'],
    ],
    [
      'conditions that are not an object',
      { logic: 'AND', groups: [{ filters: [filter], conditions: 1 }] },
      ['groups.0.conditions'],
    ],
    [
      'faults in two places',
      {
        logic: 'AND',
        groups: [{ filters: [filter, { ...filter, operator: 'is' }] }, { conditions: one({ field: 'age' }) }],
      },
      ['groups.0.filters.1.operator', 'groups.1.conditions.groups.0.filters.0.field'],
    ],
  ])('is refused: %s', (_name, raw, fields) => {
    expect(fieldsOf(raw)).toEqual(fields);
  });

  it('names the path in the request', () => {
    expect(fieldsOf(one({ operator: 'is' }), 'audienceCondition')).toEqual([
      'audienceCondition.groups.0.filters.0.operator',
    ]);
  });

  it('is ten levels deep and no more', () => {
    expect(fieldsOf(nested(10))).toEqual([]);
    expect(fieldsOf(nested(11))).toEqual([Array(10).fill('groups.0.conditions').join('.')]);
  });

  it('has a hundred filters in all its groups and no more', () => {
    const tree = (count: number) => ({
      logic: 'OR',
      groups: [
        { filters: Array(count - 50).fill(filter) },
        { conditions: { logic: 'AND', groups: [{ filters: Array(50).fill(filter) }] } },
      ],
    });
    expect(fieldsOf(tree(100))).toEqual([]);
    expect(fieldsOf(tree(101))).toEqual(['groups.1.conditions.groups.0.filters.49']);
  });

  it('costs no more when it is hostile', () => {
    let deep = '1';
    for (let level = 0; level < 100_000; level++) deep = `{"groups":[{"conditions":${deep}}]}`;
    // JSON.parse of this Node takes such depth; where it does not, the request never gets here.
    expect(fieldsOf(JSON.parse(deep)).length).toBeLessThanOrEqual(11);
    expect(fieldsOf({ logic: 'AND', groups: Array(1_000_000).fill({}) })).toHaveLength(100);
    expect(fieldsOf({ logic: 'AND', groups: [{ filters: Array(1_000_000).fill(1) }] })).toHaveLength(100);
  });

  it('is accepted or refused with reasons, whatever the JSON', () => {
    const key = fc.constantFrom('logic', 'groups', 'filters', 'conditions', 'field', 'operator', 'value');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('AND', 'data.a', 'equals', 1, null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, (raw) => {
        const result = parseCondition(raw);
        if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a filter', () => {
  const age = { field: 'createdAt', operator: 'within' };
  const count = { field: 'event.x', operator: 'countGreaterThan' };
  it.each<[string, object, string]>([
    ['an unknown field', { field: 'name' }, 'field'],
    ['no field', { field: undefined }, 'field'],
    ['a field without a name', { field: 'data.' }, 'field'],
    ['an activity that does not exist', { field: 'email.read', operator: 'triggered' }, 'field'],
    ['a segment that is not an id', { field: 'segment.vip', operator: 'memberOfSegment' }, 'field'],
    ['a campaign that is not an id', { field: 'campaign.news', operator: 'opened' }, 'field'],
    [
      'an operator that campaigns lack',
      { field: 'campaign.0190a000-0000-7000-8000-00000000000a', operator: 'triggered' },
      'operator',
    ],
    ['a field that Postgres cannot hold', { field: 'data.\0' }, 'field'],
    ['no operator', { operator: undefined }, 'operator'],
    ['an inherited name', { operator: 'constructor' }, 'operator'],
    ['an operator of another field', { operator: 'triggered' }, 'operator'],
    ['an order of booleans', { field: 'subscribed', operator: 'lessThan', value: true }, 'operator'],
    ['a random group above the last', { field: 'randomGroup', operator: 'lessThan', value: 101 }, 'value'],
    ['half a random group', { field: 'randomGroup', operator: 'lessThan', value: 0.5 }, 'value'],
    ['a random group as text', { field: 'randomGroup', operator: 'lessThan', value: '10' }, 'value'],
    ['one random group', { field: 'randomGroup', operator: 'equals', value: 10 }, 'operator'],
    ['no value', { value: undefined }, 'value'],
    ['null', { value: null }, 'value'],
    ['a list', { value: ['pro'] }, 'value'],
    ['a value that Postgres cannot hold', { value: '\ud800' }, 'value'],
    ['one value as a list', { operator: 'in', value: 'pro' }, 'value'],
    ['an empty list', { operator: 'in', value: [] }, 'value'],
    ['101 values', { operator: 'notIn', value: Array(101).fill('x') }, 'value'],
    ['a list in a list', { operator: 'in', value: [['pro']] }, 'value'],
    ['null in a list', { operator: 'in', value: ['pro', null] }, 'value'],
    ['a date in a list', { operator: 'in', value: ['pro', '2026-01-31'] }, 'value'],
    ['a value in a list that Postgres cannot hold', { operator: 'in', value: ['\ud800'] }, 'value'],
    ['a list of addresses', { field: 'email', operator: 'in', value: ['ada@example.com'] }, 'operator'],
    ['an infinite number', { value: Number.POSITIVE_INFINITY }, 'value'],
    ['a boolean in an order', { operator: 'greaterThan', value: true }, 'value'],
    ['a number as a part', { operator: 'contains', value: 1 }, 'value'],
    ['a text as a boolean', { field: 'subscribed', value: 'true' }, 'value'],
    ['a day that does not exist', { field: 'createdAt', value: '2023-02-29' }, 'value'],
    ['no amount', { ...age, value: undefined }, 'value'],
    ['an amount of 0', { ...age, value: 0 }, 'value'],
    ['not a number', { ...age, value: Number.NaN }, 'value'],
    ['an amount as a text', { ...age, value: '7' }, 'value'],
    ['more than 36,500 days', { ...age, value: 36_500.1 }, 'value'],
    ['more than 36,500 days in hours', { ...age, value: 876_001, unit: 'hours' }, 'value'],
    ['an unknown unit', { ...age, value: 1, unit: 'weeks' }, 'unit'],
    ['no count', { ...count, value: undefined }, 'value'],
    ['half an event', { ...count, value: 0.5 }, 'value'],
    ['less than no event', { ...count, value: -1 }, 'value'],
    ['a count over no time', { ...count, value: 1, within: 0 }, 'within'],
    ['a count over an unknown unit', { ...count, value: 1, within: 1, unit: 'year' }, 'unit'],
  ])('is refused: %s', (_name, changed, field) => {
    expect(fieldsOf(one(changed))).toEqual([`groups.0.filters.0.${field}`]);
  });

  it('takes the largest amount and days by default', () => {
    const parsed = (changed: object) => {
      const result = parseCondition(one({ ...age, ...changed }));
      return result.ok ? result.condition.groups[0]?.filters[0]?.predicate : result.issues;
    };
    expect(parsed({ value: 36_500 })).toEqual(parsed({ value: 876_000, unit: 'hours' }));
    expect(parsed({ value: 1.5 })).toEqual(parsed({ value: 2_160, unit: 'minutes' }));
  });
});
