import { parseCondition } from '../../../core/conditions/parse-condition.ts';
import { type Audience, conditionAudience, segmentAudience } from '../../conditions/audience.ts';
import type { CampaignRow } from '../../entities/campaign.ts';
import type { Em } from '../../orm.ts';
import { countAudience } from '../segments/segment-contacts.ts';

/** Whom a campaign is for. */
export type AudienceChoice = Pick<
  CampaignRow,
  'projectId' | 'type' | 'audienceType' | 'audienceCondition' | 'segmentId'
>;

/**
 * The recipients of a campaign as they are now (API contract, "Audience rules"): unless it is transactional, those
 * of its audience who are subscribed. Nobody when its segment is gone.
 */
export async function campaignAudience(em: Em, campaign: AudienceChoice): Promise<Audience> {
  const audience = await chosenAudience(em, campaign);
  if (campaign.type === 'TRANSACTIONAL') return audience;
  return { where: (now, bind, reach) => `(c.subscribed and ${audience.where(now, bind, reach)})` };
}

async function chosenAudience(em: Em, campaign: AudienceChoice): Promise<Audience> {
  switch (campaign.audienceType) {
    case 'ALL':
      return everyone;
    case 'SEGMENT':
      return (await segmentAudience(em, campaign.projectId, campaign.segmentId ?? '')) ?? nobody;
    case 'FILTERED': {
      const parsed = parseCondition(campaign.audienceCondition);
      if (!parsed.ok) throw new Error(`A stored audience does not parse: ${JSON.stringify(parsed.issues)}`);
      return conditionAudience(em, campaign.projectId, parsed.condition);
    }
  }
}

const everyone: Audience = { where: () => 'true' };
const nobody: Audience = { where: () => 'false' };

/** How many recipients a campaign would have now. */
export async function countRecipients(em: Em, campaign: AudienceChoice): Promise<number> {
  return countAudience(em, campaign.projectId, await campaignAudience(em, campaign));
}
