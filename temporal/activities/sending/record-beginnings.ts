import { Batcher } from '../../../db/batching/batcher.ts';
import type { Orm } from '../../../db/orm.ts';
import { type BeginningHandOver, beginHandOvers } from '../../../db/statements/emails/hand-overs.ts';

/** @returns false when the hand-over must not begin */
export type RecordBeginning = (beginning: BeginningHandOver) => Promise<boolean>;

/** Hand-overs that begin at the same moment share a statement. One per process. */
export function createBeginningRecorder(orm: Orm): RecordBeginning {
  const beginnings = new Batcher<BeginningHandOver, boolean>({
    run: (items) => beginHandOvers(orm.em.fork(), items),
    maxItems: 200,
    concurrency: 2,
  });
  return (beginning) => beginnings.submit(beginning);
}
