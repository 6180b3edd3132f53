import type { Condition, Filter, Group } from '../segments/condition-builder/condition.ts';
import { type CampaignValues, withSuffix } from './campaign-values.ts';

/** Random groups of contacts: 0 to 99. */
const groupCount = 100;

/** Percentages of the audience that get one of the two subjects. */
export const testShares = [5, 10, 20, 50] as const;

const from = (value: number): Filter => ({ field: 'randomGroup', operator: 'greaterThanOrEqual', value });
const below = (value: number): Filter => ({ field: 'randomGroup', operator: 'lessThan', value });

/**
 * Two campaigns to random parts of the audience, and one to the others, if there are any. Nobody is in two of them,
 * whichever is sent first. Another test asks other people.
 */
export function subjectTest(
  values: CampaignValues,
  otherSubject: string,
  share: number,
  random = Math.random(),
) {
  const first = Math.floor(random * (groupCount - 2 * share + 1));
  const [second, end] = [first + share, first + 2 * share];
  const part = (suffix: string, group: Group) => ({
    ...values,
    name: withSuffix(values.name, suffix),
    audienceType: 'FILTERED' as const,
    segmentId: '',
    audienceCondition: narrowed(values, group),
  });
  const outside: Condition = { logic: 'OR', groups: [{ filters: [below(first)] }, { filters: [from(end)] }] };
  return {
    own: part(' (A)', { filters: [from(first), below(second)] }),
    others: [
      { ...part(' (B)', { filters: [from(second), below(end)] }), subject: otherSubject },
      ...(share < groupCount / 2 ? [part(' (the rest)', { filters: [], conditions: outside })] : []),
    ],
  };
}

function narrowed({ audienceType, segmentId, audienceCondition }: CampaignValues, group: Group): Condition {
  const audience = (): Group[] => {
    if (audienceType === 'ALL') return [];
    if (audienceType === 'SEGMENT')
      return [{ filters: [{ field: `segment.${segmentId}`, operator: 'memberOfSegment' }] }];
    const { logic, groups } = audienceCondition;
    return logic === 'AND' ? groups : [{ filters: [], conditions: audienceCondition }];
  };
  return { logic: 'AND', groups: [...audience(), group] };
}
