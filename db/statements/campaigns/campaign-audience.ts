import { parseCondition } from '../../../core/conditions/parse-condition.ts';
import { type Audience, conditionAudience, segmentAudience } from '../../conditions/audience.ts';
import type { Campaign } from '../../entities/campaign.ts';
import type { Em } from '../../orm.ts';
import { countAudience } from '../segments/audience-contacts.ts';

export type AudienceChoice = Pick<
  Campaign,
  'projectId' | 'type' | 'audienceType' | 'audienceCondition' | 'segmentId'
>;

/**
 * The campaign's current recipients: only subscribed contacts unless it is transactional; none if its segment was
 * deleted.
 */
export async function campaignAudience(em: Em, campaign: AudienceChoice): Promise<Audience> {
  const audience = await chosenAudience(em, campaign);
  if (campaign.type === 'TRANSACTIONAL') return audience;
  return { where: (now, bind, reach) => `(c.subscribed and ${audience.where(now, bind, reach)})` };
}

export async function chosenAudience(em: Em, campaign: AudienceChoice): Promise<Audience> {
  switch (campaign.audienceType) {
    case 'ALL':
      return everyone;
    case 'SEGMENT':
      return (await segmentAudience(em, campaign.projectId, campaign.segmentId ?? '')) ?? nobody;
    case 'FILTERED': {
      const parsed = parseCondition(campaign.audienceCondition);
      if (!parsed.ok)
        throw new Error(`The stored audience of a campaign does not parse: ${JSON.stringify(parsed.issues)}`);
      return conditionAudience(em, campaign.projectId, parsed.condition);
    }
  }
}

const everyone: Audience = { where: () => 'true' };
const nobody: Audience = { where: () => 'false' };

export async function countRecipients(em: Em, campaign: AudienceChoice): Promise<number> {
  return countAudience(em, campaign.projectId, await campaignAudience(em, campaign));
}
