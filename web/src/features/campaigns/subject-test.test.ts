import { describe, expect, it } from 'vitest';
import type { Condition } from '../segments/condition-builder/condition.ts';
import type { CampaignValues } from './campaign-values.ts';
import { subjectTest } from './subject-test.ts';

const plan: Condition['groups'][number] = {
  filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }],
};
const isMember = { field: 'segment.1', operator: 'memberOfSegment' };
const values = (audience: Partial<CampaignValues> = {}): CampaignValues => ({
  name: 'News',
  type: 'MARKETING',
  from: 'hello@example.com',
  fromName: '',
  replyTo: '',
  subject: 'One',
  body: '<p>Hello</p>',
  audienceType: 'ALL',
  segmentId: '',
  audienceCondition: { logic: 'AND', groups: [plan] },
  ...audience,
});
const part = (from: number, to: number) => [
  { field: 'randomGroup', operator: 'greaterThanOrEqual', value: from },
  { field: 'randomGroup', operator: 'lessThan', value: to },
];

describe('a test of two subjects', () => {
  it.each([
    [10, 0, [0, 10, 20]],
    [10, 0.999_999, [80, 90, 100]],
    [20, 0.5, [30, 50, 70]],
  ] as const)('of %i%% at %f divides the groups at %j', (share, random, [first, second, end]) => {
    const { own, others } = subjectTest(values(), 'Two', share, random);
    const [other, rest] = others;
    expect([own.name, own.subject, own.audienceType]).toEqual(['News (A)', 'One', 'FILTERED']);
    expect([other?.name, other?.subject, other?.audienceType]).toEqual(['News (B)', 'Two', 'FILTERED']);
    expect([rest?.name, rest?.subject]).toEqual(['News (the rest)', 'One']);
    expect(own.audienceCondition.groups).toEqual([{ filters: part(first, second) }]);
    expect(other?.audienceCondition.groups).toEqual([{ filters: part(second, end) }]);
    const outside = [
      { filters: [{ field: 'randomGroup', operator: 'lessThan', value: first }] },
      { filters: [{ field: 'randomGroup', operator: 'greaterThanOrEqual', value: end }] },
    ];
    expect(rest?.audienceCondition.groups).toEqual([
      { filters: [], conditions: { logic: 'OR', groups: outside } },
    ]);
  });

  it('of halves leaves nobody over', () => {
    const { own, others } = subjectTest(values(), 'Two', 50);
    expect(own.audienceCondition.groups).toEqual([{ filters: part(0, 50) }]);
    expect(others.map(({ audienceCondition }) => audienceCondition.groups)).toEqual([
      [{ filters: part(50, 100) }],
    ]);
  });

  const either: Condition = { logic: 'OR', groups: [plan, plan] };
  it.each<[string, Partial<CampaignValues>, Condition['groups'][number]]>([
    ['a segment', { audienceType: 'SEGMENT', segmentId: '1' }, { filters: [isMember] }],
    ['a condition', { audienceType: 'FILTERED' }, plan],
    [
      'alternatives',
      { audienceType: 'FILTERED', audienceCondition: either },
      { filters: [], conditions: either },
    ],
  ])('stays within an audience of %s', (_name, audience, group) => {
    const { own } = subjectTest(values(audience), 'Two', 10, 0);
    expect(own.audienceCondition).toEqual({ logic: 'AND', groups: [group, { filters: part(0, 10) }] });
  });
});
