import type { Em } from '../../../db/orm.ts';
import { evaluateChanges } from '../../../db/statements/segments/evaluate-changes.ts';
import { planClocks } from '../../../db/statements/segments/plan-clocks.ts';
import { endSegmentTurn } from '../../../db/statements/segments/segment-turns.ts';
import type { ProjectRound } from '../../contracts/segments.ts';

/** A project that needs longer waits until the others have had their turn. */
const turnMs = 10_000;
/** A project pauses for ten times the length of its turn, so that it never takes more than a tenth of the time. */
const pausePerTurn = 10;
const longestPauseMs = 5 * 60_000;

export async function evaluateProject(
  em: Em,
  projectId: string,
  signal?: AbortSignal,
): Promise<ProjectRound> {
  const startedAt = performance.now();
  // A turn that fails pauses too: otherwise the failing projects would stay first in the order of turns.
  await endSegmentTurn(em, projectId, longestPauseMs);
  const elapsed = () => performance.now() - startedAt;
  const isPlanned = await planClocks(em, projectId, null, signal, turnMs);
  const { hasMore, ...round } = await evaluateChanges(em, projectId, turnMs - elapsed(), signal);
  const pauseMs = Math.min(elapsed() * pausePerTurn, longestPauseMs);
  await endSegmentTurn(em, projectId, hasMore || !isPlanned ? 0 : pauseMs);
  return round;
}
