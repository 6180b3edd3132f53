import { describe, expect, it } from 'vitest';
import { keyLabel } from '../../contacts/key-label.ts';
import { blankCondition, type Condition, type Filter, readCondition } from './condition.ts';
import { findGaps } from './condition-gaps.ts';
import { describeCondition } from './describe-condition.ts';
import { withOperator, withValue } from './new-filter.ts';
import { comparedType, operatorsFor, operatorsOf, shapeOf, valueTypeOf } from './operators.ts';
import { readNumber } from './read-number.ts';

const all = (...filters: Filter[]): Condition => ({ logic: 'AND', groups: [{ filters }] });
const plan: Filter = { field: 'data.plan', operator: 'equals', value: 'business' };
const opened: Filter = { field: 'email.opened', operator: 'triggeredWithin', value: 7, unit: 'days' };
const vip: Filter = { field: 'segment.1', operator: 'memberOfSegment' };

const either: Condition = { logic: 'OR', groups: [{ filters: [plan] }, { filters: [vip] }] };

describe('a condition in words', () => {
  it.each<[string, Condition]>([
    ['Plan is business and opened an email in the last 7 days', all(plan, opened)],
    ['Opened an email in the last 7 days', all(opened)],
    [
      'Plan is business or is in segment VIP',
      { logic: 'OR', groups: [{ filters: [plan] }, { filters: [vip] }] },
    ],
    [
      'Plan is business and opened an email in the last 7 days, or is in segment VIP',
      { logic: 'OR', groups: [{ filters: [plan, opened] }, { filters: [vip] }] },
    ],
    [
      'Plan is business and (opened an email in the last 7 days or is in segment VIP)',
      {
        logic: 'AND',
        groups: [
          {
            filters: [plan],
            conditions: { logic: 'OR', groups: [{ filters: [opened] }, { filters: [vip] }] },
          },
        ],
      },
    ],
    [
      '(Plan is business or is in segment VIP) and opened an email in the last 7 days',
      {
        logic: 'AND',
        groups: [{ filters: [], conditions: either }, { filters: [opened] }],
      },
    ],
    [
      'Plan is business and (Plan is business or is in segment VIP)',
      {
        logic: 'AND',
        groups: [
          {
            filters: [plan],
            conditions: { logic: 'AND', groups: [{ filters: [], conditions: either }] },
          },
        ],
      },
    ],
    [
      'Plan is business or is in segment VIP',
      { logic: 'AND', groups: [{ filters: [], conditions: either }] },
    ],
    ['…', blankCondition],
  ])('%s', (words, condition) => {
    expect(describeCondition(condition, (id) => (id === '1' ? 'VIP' : undefined))).toBe(words);
  });

  it.each<[string, Filter]>([
    [
      'Address does not contain @example.com',
      { field: 'email', operator: 'notContains', value: '@example.com' },
    ],
    [
      'Plan is one of pro, team, or “the big one”',
      { field: 'data.plan', operator: 'in', value: ['pro', 'team', 'the big one'] },
    ],
    [
      'Plan is none of 1, 2, 3, 4, 5 or 2 more',
      { field: 'data.plan', operator: 'notIn', value: [1, 2, 3, 4, 5, 6, 7] },
    ],
    ['Plan is one of …', { field: 'data.plan', operator: 'in', value: [] }],
    ['Is subscribed', { field: 'subscribed', operator: 'equals', value: true }],
    ['Is not subscribed', { field: 'subscribed', operator: 'equals', value: false }],
    ['Is subscribed', { field: 'subscribed', operator: 'notEquals', value: false }],
    ['Date added is 2026-01-31 (UTC)', { field: 'createdAt', operator: 'equals', value: '2026-01-31' }],
    ['Born is 2026-01-31', { field: 'data.born', operator: 'equals', value: '2026-01-31' }],
    ['Date added is in the last 1 hour', { field: 'createdAt', operator: 'within', value: 1, unit: 'hours' }],
    ['Renews at is in the last 3 days or later', { field: 'data.renewsAt', operator: 'within', value: 3 }],
    ['Renews at is longer ago than 3 days', { field: 'data.renewsAt', operator: 'olderThan', value: 3 }],
    ['Born is after 2000-01-31', { field: 'data.born', operator: 'greaterThan', value: '2000-01-31' }],
    ['Random group 0–99 is less than 10', { field: 'randomGroup', operator: 'lessThan', value: 10 }],
    ['Seats is at least 5', { field: 'data.seats', operator: 'greaterThanOrEqual', value: 5 }],
    ['Job title is “Head of sales”', { field: 'data.job_title', operator: 'equals', value: 'Head of sales' }],
    ['Beta is yes', { field: 'data.beta', operator: 'equals', value: true }],
    ['Plan has no value', { field: 'data.plan', operator: 'notExists' }],
    ['Plan is …', { field: 'data.plan', operator: 'equals' }],
    ['Has never triggered “order placed”', { field: 'event.order placed', operator: 'notTriggered' }],
    ['Has been sent an email', { field: 'email.sent', operator: 'triggered' }],
    [
      'Has not opened an email in the last 2 days',
      { field: 'event.email.open', operator: 'notTriggeredWithin', value: 2 },
    ],
    [
      'Last clicked a link in an email longer ago than 90 days',
      { field: 'email.click', operator: 'triggeredOlderThan', value: 90 },
    ],
    ['Triggered “login” fewer than 2 times', { field: 'event.login', operator: 'countLessThan', value: 2 }],
    [
      'Opened an email more than 1 time in the last 30 days',
      { field: 'email.opened', operator: 'countGreaterThan', value: 1, within: 30, unit: 'days' },
    ],
    ['Is not in segment “a deleted segment”', { field: 'segment.2', operator: 'notMemberOfSegment' }],
    ['Was sent campaign “Summer news”', { field: 'campaign.3', operator: 'sent' }],
    ['Did not open campaign “Summer news”', { field: 'campaign.3', operator: 'notOpened' }],
    ['amount is more than 5', { field: 'event.amount', operator: 'greaterThan', value: 5 }],
  ])('%s', (words, filter) => {
    expect(
      describeCondition(all(filter), (id) => (id === '3' ? 'Summer news' : undefined)).toLowerCase(),
    ).toBe(words.toLowerCase());
  });
});

it.each([
  ['firstName', 'First name'],
  ['job_title', 'Job title'],
  ['plan', 'Plan'],
  ['Company size', 'Company size'],
  ['address.city', 'address.city'],
])('labels the key %s as %s', (key, label) => {
  expect(keyLabel(key)).toBe(label);
});

it.each([
  ['equals', 'value'],
  ['contains', 'value'],
  ['exists', 'none'],
  ['notTriggered', 'none'],
  ['memberOfSegment', 'none'],
  ['notOpened', 'none'],
  ['within', 'age'],
  ['triggeredOlderThan', 'age'],
  ['countLessThan', 'count'],
])('%s asks for %s', (operator, shape) => {
  expect(shapeOf(operator)).toBe(shape);
});

it('edits a value in its own type, or else in the type of the field', () => {
  expect(valueTypeOf({ field: 'data.x', value: '5' }, 'number')).toBe('string');
  expect(valueTypeOf({ field: 'data.x', value: 5 }, 'string')).toBe('number');
  expect(valueTypeOf({ field: 'data.x', value: undefined }, 'boolean')).toBe('boolean');
  expect(valueTypeOf({ field: 'createdAt', value: '' }, undefined)).toBe('date');
});

it.each(['instant', 'data'] as const)('offers for a date in %s what is true of a whole day', (kind) => {
  const offered = operatorsFor([kind], 'date');
  expect(offered.filter((operator) => /Than/.test(operator))).toEqual([
    'olderThan',
    'greaterThanOrEqual',
    'lessThan',
  ]);
});

it('offers the same for a field of unknown type once its value is a date', () => {
  const offered = (value: Filter['value']) =>
    operatorsOf({ field: 'data.x', operator: 'equals', value }, 'contact', undefined);
  expect(offered('2026-01-31')).toEqual(operatorsFor(['data'], 'date'));
  expect(offered('soon')).toEqual(operatorsFor(['data'], undefined));
  expect(offered(5)).toEqual(operatorsFor(['data'], undefined));
});

it.each([
  ['greaterThan', 'greaterThanOrEqual'],
  ['lessThanOrEqual', 'lessThan'],
  ['notEquals', 'notEquals'],
])('%s becomes %s when its value becomes a date', (operator, expected) => {
  const text: Filter = { field: 'data.x', operator, value: 'soon' };
  const date = { ...text, value: '2026-01-31' };
  expect(withValue(text, date.value)).toEqual({ ...date, operator: expected });
  expect(withValue(date, '2026-02-01')).toEqual({ ...date, value: '2026-02-01' });
});

it.each<[Filter, string, Omit<Filter, 'field'>]>([
  [plan, 'contains', { operator: 'contains', value: 'business' }],
  [{ ...plan, value: 5 }, 'contains', { operator: 'contains', value: '5' }],
  [{ ...plan, value: true }, 'notContains', { operator: 'notContains', value: 'true' }],
  [{ ...plan, value: 5 }, 'greaterThan', { operator: 'greaterThan', value: 5 }],
  [{ ...plan, value: 5 }, 'within', { operator: 'within', value: 7, unit: 'days' }],
  [{ ...plan, operator: 'within', value: 7, unit: 'days' }, 'contains', { operator: 'contains' }],
  [plan, 'exists', { operator: 'exists' }],
  [plan, 'in', { operator: 'in', value: ['business'] }],
  [{ ...plan, value: '' }, 'notIn', { operator: 'notIn' }],
  [{ ...plan, operator: 'within', value: 7, unit: 'days' }, 'in', { operator: 'in' }],
  [{ ...plan, operator: 'in', value: ['a', 'b'] }, 'notIn', { operator: 'notIn', value: ['a', 'b'] }],
  [{ ...plan, operator: 'in', value: [5] }, 'equals', { operator: 'equals', value: 5 }],
  [{ ...plan, operator: 'in', value: [5] }, 'contains', { operator: 'contains', value: '5' }],
  [{ ...plan, operator: 'in', value: ['a', 'b'] }, 'equals', { operator: 'equals' }],
])('%j, changed to %s, has an operand that the API accepts', (filter, operator, expected) => {
  expect(withOperator(filter, operator)).toEqual({ field: 'data.plan', ...expected });
});

it.each([
  ['1000', 1000],
  [' -2.5 ', -2.5],
  ['2,5', 2.5],
  ['0,125', 0.125],
  ['1.', 1],
  ['1,000', undefined],
  ['-12,500', undefined],
  ['1,000,000', undefined],
  ['1,000.5', undefined],
  ['five', undefined],
  [' ', undefined],
])('reads %j as %s', (text, number) => {
  expect(readNumber(text)).toBe(number);
});

describe('a tree of the API', () => {
  it('is read unchanged', () => {
    const tree = {
      logic: 'OR',
      groups: [{ filters: [plan], conditions: all(vip) }, { conditions: all(opened) }],
    };
    expect(readCondition(tree)).toEqual({
      logic: 'OR',
      groups: [
        { filters: [plan], conditions: all(vip) },
        { filters: [], conditions: all(opened) },
      ],
    });
  });

  it('may be a single filter in a workflow step', () => {
    expect(readCondition(plan)).toEqual(all(plan));
  });

  it.each([[null], [{}], [{ logic: 'AND', groups: [] }]])('is blank for %j', (raw) => {
    expect(readCondition(raw)).toEqual(blankCondition);
  });
});

it('reports missing input by its path in the request', () => {
  const condition: Condition = {
    logic: 'AND',
    groups: [
      {
        filters: [plan, { field: '', operator: '' }],
        conditions: all({ field: 'data.x', operator: 'equals' }),
      },
    ],
  };
  expect(findGaps(condition, 'condition').map(({ field }) => field)).toEqual([
    'condition.groups.0.filters.1.field',
    'condition.groups.0.conditions.groups.0.filters.0.value',
  ]);
});

it.each([
  ['what is called a number', 'number', ['n/a', 1], 'number'],
  ['texts', 'string', ['pro', 'free'], 'string'],
  ['texts and numbers', 'string', ['n/a', 1], undefined],
  ['texts and dates', 'string', ['01.02.2026', '2026-02-01'], undefined],
  ['values that are not known yet', 'string', [], 'string'],
] as const)('derives the compared type of %s', (_name, type, values, expected) => {
  expect(comparedType(type, values)).toBe(expected);
});
