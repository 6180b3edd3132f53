import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { newId } from '../../core/new-id.ts';
import type { Orm } from '../../db/orm.ts';
import type { AudienceChoice } from '../../db/statements/campaigns/campaign-audience.ts';
import {
  type AudienceOutcome,
  countAudienceOutcome,
} from '../../db/statements/campaigns/count-audience-outcome.ts';
import { readAudienceFigures } from '../../db/statements/contacts/read-contact-figures.ts';
import type { AudienceBody } from '../schemas/campaigns.ts';
import { requireAudience } from './campaign-audience.ts';
import { findCampaign } from './campaigns.ts';
import { contactsCountedLive } from './counted-live.ts';
import type { HeavyReads } from './heavy-reads.ts';

const keptMs = 30_000;
const mostKept = 10_000;

/** In large projects a count is kept for 30 seconds, and concurrent calls share one, as for drafts. */
export function createAudiencePreviewService(
  orm: Orm,
  heavyReads: HeavyReads,
  countedLive = contactsCountedLive,
) {
  const count = (choice: AudienceChoice) => countAudienceOutcome(orm.em.fork(), choice);
  const kept = new LRUCache<string, AudienceOutcome, AudienceChoice>({
    max: mostKept,
    ttl: keptMs,
    fetchMethod: (_key, _stale, { context }) => count(context),
  });

  async function outcomeOf(choice: AudienceChoice): Promise<AudienceOutcome> {
    const { contacts } = await readAudienceFigures(orm.em.fork(), choice.projectId);
    if (contacts <= countedLive) return count(choice);
    return (await kept.fetch(keyOf(choice), { context: choice })) ?? count(choice);
  }

  return {
    /** @throws DomainError `BAD_REQUEST` for an incomplete or invalid audience, `NOT_FOUND` for its segment */
    async preview(projectId: string, { type, audienceType, segmentId, audienceCondition }: AudienceBody) {
      const parts = { audienceType, segmentId, audienceCondition };
      await orm.em.fork().transactional((em) => requireAudience(em, projectId, newId(), parts));
      const choice: AudienceChoice = {
        projectId,
        type,
        audienceType,
        segmentId: segmentId ?? null,
        // as: `requireAudience` parsed it as a condition tree.
        audienceCondition: (audienceCondition ?? null) as AudienceChoice['audienceCondition'],
      };
      return heavyReads.run(projectId, () => outcomeOf(choice));
    },

    /** The audience of a campaign as it is now, also once it was sent. @throws DomainError `NOT_FOUND` */
    async ofCampaign(projectId: string, id: string) {
      const campaign = await findCampaign(orm.em.fork(), projectId, id);
      return heavyReads.run(projectId, () => outcomeOf(campaign));
    },
  };
}

function keyOf({ projectId, type, audienceType, segmentId, audienceCondition }: AudienceChoice): string {
  const parts = [projectId, type, audienceType, segmentId, audienceCondition];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
