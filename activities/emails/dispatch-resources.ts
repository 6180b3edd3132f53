import { createBatcher } from '../../db/batching/create-batcher.ts';
import { isRolledBack } from '../../db/batching/is-rolled-back.ts';
import type { Orm } from '../../db/orm.ts';
import { loadContents } from '../../db/repositories/campaigns/load-contents.ts';
import { type BeginningHandOver, beginHandOvers } from '../../db/repositories/emails/begin-hand-overs.ts';
import { createByteBudget } from './byte-budget.ts';
import type { DispatchContext } from './dispatch-emails.ts';
import { createSlotReserver } from './reserve-slots.ts';

/** What all runs of a process share: its memory, its share of the send rate, and the statements that note beginnings. */
export function createDispatchResources(
  orm: Orm,
): Pick<DispatchContext, 'begin' | 'bytes' | 'load' | 'paced' | 'reserve'> {
  const beginnings = createBatcher<BeginningHandOver, boolean>({
    run: (items) => beginHandOvers(orm.em.fork(), items),
    maxItems: 200,
    concurrency: 2,
    isRolledBack,
  });
  return {
    begin: (beginning) => beginnings.submit(beginning),
    bytes: createByteBudget(),
    load: loadContents,
    paced: new Set(),
    reserve: createSlotReserver(),
  };
}
