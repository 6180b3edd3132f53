import { unlessAway } from '../../db/database-away.ts';
import type { Orm } from '../../db/orm.ts';
import { cancelBatches } from '../../db/statements/campaigns/cancel-batches.ts';
import type { ProjectPlaces } from './project-places.ts';

const cancelMs = 5_000;
const batchesAtOnce = 1;

/**
 * Spends up to 5 seconds cancelling the unsent emails of a cancelled campaign, each batch in a place of its own among the
 * writes; ends earlier if there is none. Batches with emails left stay open.
 */
export async function cancelEmails(
  orm: Orm,
  writes: ProjectPlaces,
  projectId: string,
  campaignId: string,
): Promise<void> {
  const deadline = performance.now() + cancelMs;
  let after: number | null = 0;
  while (after !== null && performance.now() < deadline) {
    const from: number = after;
    const cancel = () => cancelBatches(orm.em.fork(), campaignId, from, batchesAtOnce);
    // A worker that stands still may hold emails; they must not keep the caller from learning that the rest worked.
    after = (await unlessAway(writes.runSoon(projectId, cancel))) ?? null;
  }
}
