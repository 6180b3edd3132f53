import { createHash } from 'node:crypto';
import { newId } from '../../core/new-id.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import type { AudienceChoice } from '../../db/statements/campaigns/campaign-audience.ts';
import { countAudienceOutcome } from '../../db/statements/campaigns/count-audience-outcome.ts';
import type { AudienceBody } from '../schemas/campaigns.ts';
import { findCampaign } from './campaigns.ts';
import { keepCounts } from './keep-counts.ts';
import type { ProjectPlaces } from './project-places.ts';
import { requireAudience } from './require-audience.ts';

export function createAudiencePreviewService(orm: Orm, heavyReads: ProjectPlaces) {
  const count = (choice: AudienceChoice) => countAudienceOutcome(orm.em.fork(), choice);
  const outcomeOf = keepCounts(orm, count, keyOf);

  return {
    /** @throws DomainError `BAD_REQUEST` for an incomplete or invalid audience, `NOT_FOUND` for its segment */
    async preview(projectId: string, { type, ...parts }: AudienceBody) {
      const { audienceType, segmentId = null, audienceCondition = null } = parts;
      // as: `requireAudience` parses the condition.
      const choice = { projectId, type, audienceType, segmentId, audienceCondition } as AudienceChoice;
      return heavyReads.run(projectId, async () => {
        await projectEm(orm, projectId).transactional((em) => requireAudience(em, projectId, newId(), parts));
        return outcomeOf(choice);
      });
    },

    /** The current audience of a campaign, even after it was sent. @throws DomainError `NOT_FOUND` */
    async ofCampaign(projectId: string, id: string) {
      const campaign = await findCampaign(projectEm(orm, projectId), id);
      return heavyReads.run(projectId, () => outcomeOf(campaign));
    },
  };
}

function keyOf({ projectId, type, audienceType, segmentId, audienceCondition }: AudienceChoice): string {
  const parts = [projectId, type, audienceType, segmentId, audienceCondition];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
