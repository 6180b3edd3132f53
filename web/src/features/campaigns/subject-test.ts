import type { Condition, Filter } from '../segments/condition-builder/condition.ts';
import { type CampaignValues, withSuffix } from './campaign-values.ts';

/** Random groups of contacts: 0 to 99. */
const groups = 100;

/** Percentages of the audience that get one of the two subjects. */
export const testShares = [5, 10, 20, 50] as const;

/** The two campaigns of a test, to disjoint random parts of the audience. Those of another test are other people. */
export function testsOf(values: CampaignValues, otherSubject: string, share: number, random = Math.random()) {
  const first = Math.floor(random * (groups - 2 * share + 1));
  const test = (suffix: string, subject: string, from: number): CampaignValues => ({
    ...narrowed(values, [
      { field: 'randomGroup', operator: 'greaterThanOrEqual', value: from },
      { field: 'randomGroup', operator: 'lessThan', value: from + share },
    ]),
    name: withSuffix(values.name, suffix),
    subject,
  });
  return { own: test(' (A)', values.subject, first), other: test(' (B)', otherSubject, first + share) };
}

/** The campaign to all who got neither test. */
export const restOf = (values: CampaignValues, testIds: readonly string[]): CampaignValues => ({
  ...narrowed(
    values,
    testIds.map((id) => ({ field: `campaign.${id}`, operator: 'notSent' })),
  ),
  name: withSuffix(values.name, ' (the rest)'),
});

function narrowed(values: CampaignValues, filters: Filter[]): CampaignValues {
  return { ...values, audienceType: 'FILTERED', segmentId: '', audienceCondition: both(values, filters) };
}

function both({ audienceType, segmentId, audienceCondition }: CampaignValues, filters: Filter[]): Condition {
  if (audienceType === 'ALL') return { logic: 'AND', groups: [{ filters }] };
  if (audienceType === 'SEGMENT') {
    const isMember = { field: `segment.${segmentId}`, operator: 'memberOfSegment' };
    return { logic: 'AND', groups: [{ filters: [isMember, ...filters] }] };
  }
  const isFlat = audienceCondition.logic === 'AND';
  const audience = isFlat ? audienceCondition.groups : [{ filters: [], conditions: audienceCondition }];
  return { logic: 'AND', groups: [...audience, { filters }] };
}
