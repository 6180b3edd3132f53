import { z } from 'zod';
import type { Schema } from '../../api/client.ts';
import { contentOf, contentShape } from '../message-editor/content.ts';
import { type Condition, readCondition } from '../segments/condition-builder/condition.ts';
import { findGaps } from '../segments/condition-builder/condition-gaps.ts';

const mostNameLength = 255;

/** The values of the campaign form. */
export const campaignSchema = z
  .object({
    name: z.string().regex(/\S/, 'Enter a name').max(mostNameLength, `At most ${mostNameLength} characters`),
    ...contentShape,
    audienceType: z.enum(['ALL', 'SEGMENT', 'FILTERED']),
    segmentId: z.string(),
    audienceCondition: z.custom<Condition>(),
  })
  .superRefine(({ audienceType, segmentId, audienceCondition }, context) => {
    if (audienceType === 'SEGMENT' && segmentId === '') {
      context.addIssue({ code: 'custom', path: ['segmentId'], message: 'Choose a segment' });
    }
    if (audienceType === 'FILTERED' && findGaps(audienceCondition, '').length > 0) {
      context.addIssue({
        code: 'custom',
        path: ['audienceCondition'],
        message: 'The condition is not complete',
      });
    }
  });

export type CampaignValues = z.output<typeof campaignSchema>;
export type Audience = Pick<CampaignValues, 'type' | 'audienceType' | 'segmentId' | 'audienceCondition'>;

export const toCampaignValues = (campaign: Schema<'Campaign'>): CampaignValues => ({
  name: campaign.name,
  ...contentOf(campaign),
  audienceType: campaign.audienceType,
  segmentId: campaign.segmentId ?? '',
  audienceCondition: readCondition(campaign.audienceCondition),
});

/** The audience fields that the API accepts for this type. */
export function audienceBody({ type, audienceType, segmentId, audienceCondition }: Audience) {
  return {
    type,
    audienceType,
    ...(audienceType === 'SEGMENT' && { segmentId }),
    ...(audienceType === 'FILTERED' && { audienceCondition }),
  };
}

/** The form has no field for the note; a replacement without it would clear it. */
export function campaignBody(values: CampaignValues, description: string | null) {
  const { name, from, fromName, replyTo, subject, body } = values;
  return { name, description, from, fromName, replyTo, subject, body, ...audienceBody(values) };
}

/** Of a long name only the beginning. */
export const withSuffix = (name: string, suffix: string): string =>
  `${[...name].slice(0, mostNameLength - suffix.length).join('')}${suffix}`;

/** A draft of the same email to those who got the campaign and did not open it. */
export function toNotOpened(campaign: Schema<'Campaign'>) {
  const field = `campaign.${campaign.id}`;
  const filters = ['sent', 'notOpened'].map((operator) => ({ field, operator }));
  const values: CampaignValues = {
    ...toCampaignValues(campaign),
    name: withSuffix(campaign.name, ' (not opened)'),
    audienceType: 'FILTERED',
    audienceCondition: { logic: 'AND', groups: [{ filters }] },
  };
  return campaignBody(values, campaign.description);
}

export const isComplete = ({ audienceType, segmentId, audienceCondition }: Audience): boolean =>
  audienceType === 'ALL' ||
  (audienceType === 'SEGMENT' ? segmentId !== '' : findGaps(audienceCondition, '').length === 0);
