import {
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { SegmentActivities, SegmentRoundsFigures } from '../contracts/segments.ts';
import { isHistoryLong } from './history-limits.ts';

const { listSegmentTurns } = proxyActivities<SegmentActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumInterval: '1 minute' },
});

const { evaluateSegmentChanges } = proxyActivities<SegmentActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
});

const projectsAtOnce = 3;

/**
 * Gives every project with changes of tracked segments its turn, and another one while it has more, until none waits.
 * Started by a schedule. A long turn does not hold up projects that come meanwhile. A project whose turn failed is left to
 * the next run.
 */
export async function segmentRounds(input: SegmentRoundsFigures): Promise<SegmentRoundsFigures> {
  const figures = { ...input };
  const busy = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  let waiting: string[] = [];
  while (!isHistoryLong('segments')) {
    if (waiting.length === 0) {
      // A turn that ends during the query may still be listed; the next list is correct.
      const begun = new Set(busy.keys());
      waiting = (await listSegmentTurns()).filter((id) => !begun.has(id) && !failed.has(id));
      if (waiting.length === 0 && begun.size === 0) return figures;
    }
    const project = busy.size < projectsAtOnce ? waiting.shift() : undefined;
    if (project !== undefined) busy.set(project, evaluate(project));
    else if (busy.size > 0)
      await Promise.race([...busy.values(), ...(waiting.length === 0 ? [sleep('5 seconds')] : [])]);
  }
  await Promise.all(busy.values());
  return continueAsNew<typeof segmentRounds>(figures);

  async function evaluate(projectId: string): Promise<void> {
    try {
      const round = await evaluateSegmentChanges({ projectId });
      figures.turns += 1;
      figures.changes += round.changes;
      figures.added += round.added;
      figures.removed += round.removed;
    } catch (error) {
      if (isCancellation(error)) throw error;
      failed.add(projectId);
      figures.failed += 1;
    }
    busy.delete(projectId);
    setCurrentDetails(
      `**${figures.turns}** turns of projects, **${figures.changes}** changes: **${figures.added}** entries, ` +
        `**${figures.removed}** exits; **${figures.failed}** turns failed`,
    );
  }
}
