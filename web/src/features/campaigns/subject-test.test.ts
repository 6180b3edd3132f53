import { describe, expect, it } from 'vitest';
import type { Condition } from '../segments/condition-builder/condition.ts';
import type { CampaignValues } from './campaign-values.ts';
import { restOf, testsOf } from './subject-test.ts';

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
    [50, 0.999_999, [0, 50, 100]],
  ] as const)('of %i%% at %f takes the groups from and to %j', (share, random, [first, second, end]) => {
    const { own, other } = testsOf(values(), 'Two', share, random);
    expect([own.name, own.subject, own.audienceType]).toEqual(['News (A)', 'One', 'FILTERED']);
    expect([other.name, other.subject, other.audienceType]).toEqual(['News (B)', 'Two', 'FILTERED']);
    expect(own.audienceCondition.groups).toEqual([{ filters: part(first, second) }]);
    expect(other.audienceCondition.groups).toEqual([{ filters: part(second, end) }]);
  });

  const either: Condition = { logic: 'OR', groups: [plan, plan] };
  it.each<[string, Partial<CampaignValues>, Condition['groups']]>([
    ['a segment', { audienceType: 'SEGMENT', segmentId: '1' }, [{ filters: [isMember, ...part(0, 10)] }]],
    ['a condition', { audienceType: 'FILTERED' }, [plan, { filters: part(0, 10) }]],
    [
      'alternatives',
      { audienceType: 'FILTERED', audienceCondition: either },
      [{ filters: [], conditions: either }, { filters: part(0, 10) }],
    ],
  ])('stays within an audience of %s', (_name, audience, groups) => {
    const { own } = testsOf(values(audience), 'Two', 10, 0);
    expect(own.audienceCondition).toEqual({ logic: 'AND', groups });
  });

  it('leaves a campaign to those who got neither', () => {
    const rest = restOf(values({ audienceType: 'SEGMENT', segmentId: '1' }), ['a', 'b']);
    const neither = ['campaign.a', 'campaign.b'].map((field) => ({ field, operator: 'notSent' }));
    expect(rest.name).toBe('News (the rest)');
    expect(rest.audienceCondition.groups).toEqual([{ filters: [isMember, ...neither] }]);
  });
});
