import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import { Batcher } from '../../../db/batching/batcher.ts';
import { isRolledBack } from '../../../db/database-errors.ts';
import type { Orm } from '../../../db/orm.ts';
import { type BeginningHandOver, beginHandOvers } from '../../../db/statements/emails/begin-hand-overs.ts';
import { loadContents } from '../../../db/statements/emails/load-contents.ts';
import type { RenderTurns } from '../sending/render-turns.ts';
import { createByteBudget } from './byte-budget.ts';
import type { DispatchContext } from './dispatch-emails.ts';
import { createSlotReserver } from './slot-reserver.ts';

export function createDispatchResources(
  orm: Orm,
  turns: RenderTurns,
  callsAtOnce: number,
): Pick<DispatchContext, 'begin' | 'bytes' | 'calls' | 'load' | 'paced' | 'reserve' | 'turns'> {
  const beginnings = new Batcher<BeginningHandOver, boolean>({
    run: (items) => beginHandOvers(orm.em.fork(), items),
    maxItems: 200,
    concurrency: 2,
    isRolledBack,
  });
  return {
    begin: (beginning) => beginnings.submit(beginning),
    bytes: createByteBudget(),
    calls: new FairSemaphore(callsAtOnce),
    load: loadContents,
    paced: new Set(),
    reserve: createSlotReserver(),
    turns,
  };
}
