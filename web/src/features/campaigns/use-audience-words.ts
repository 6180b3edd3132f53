import type { Schema } from '../../api/client.ts';
import { readCondition } from '../segments/condition-builder/condition.ts';
import { describeCondition } from '../segments/condition-builder/describe-condition.ts';
import { useConditionNames } from '../segments/condition-builder/use-condition-names.ts';

type Audience = Pick<Schema<'Campaign'>, 'audienceType' | 'segmentId' | 'audienceCondition'>;

/** Whom a campaign is for, such as “Segment “Paying”” or “Plan is pro”. */
export function useAudienceWords({ audienceType, segmentId, audienceCondition }: Audience): string {
  const nameOf = useConditionNames([audienceCondition]);
  switch (audienceType) {
    case 'ALL':
      return 'All contacts';
    case 'SEGMENT': {
      const name = nameOf(segmentId ?? '');
      return name === undefined ? 'A segment' : `Segment “${name}”`;
    }
    case 'FILTERED':
      return describeCondition(readCondition(audienceCondition), nameOf);
  }
}
