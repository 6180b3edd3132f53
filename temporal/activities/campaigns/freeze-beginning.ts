import { contactsInFirstPiece, contactsPerPiece } from '../../../core/campaign-batches.ts';
import type { Orm } from '../../../db/orm.ts';
import { beginFreeze, freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import type { Warn } from '../../../runtime/logger.ts';

export interface BeginningDependencies {
  orm: Orm;
  /** Called after each piece. */
  look: (campaignId: string) => void;
  warn: Warn;
}

/** Further campaigns wait for their workflows. */
const campaignsAtOnce = 4;

/** Freezes the first two pieces of starting campaigns. Never rejects. */
export function createBeginnings({ orm, look, warn }: BeginningDependencies) {
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  async function freezeBeginning(campaignId: string): Promise<void> {
    try {
      if (!(await beginFreeze(orm.em.fork(), campaignId, contactsInFirstPiece))) return;
      look(campaignId);
      if (isStopped) return;
      await freezeAudience(orm.em.fork(), campaignId, contactsPerPiece);
      look(campaignId);
    } catch (error) {
      warn('Could not begin a campaign; its workflow will', error);
    }
  }

  return {
    begin(campaignId: string): void {
      if (isStopped || underWay.size >= campaignsAtOnce) return;
      const beginning = freezeBeginning(campaignId).finally(() => underWay.delete(beginning));
      underWay.add(beginning);
    },
    isUnderWay: () => underWay.size > 0,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
}
