import { continueAsNew, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SegmentActivities, SegmentRoundsFigures } from '../contracts/segments.ts';
import { takeTurns } from './take-turns.ts';

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
 * Gives a turn to every project with changes of tracked segments, and another one while it has more, until none is
 * waiting. Started by a schedule. A project whose turn failed is left to the next run.
 */
export async function segmentRounds(input: SegmentRoundsFigures): Promise<SegmentRoundsFigures> {
  const figures = { ...input };
  const failed = new Set<string>();
  const isOver = await takeTurns<string>({
    atOnce: projectsAtOnce,
    list: async () => (await listSegmentTurns()).filter((id) => !failed.has(id)),
    idOf: (id) => id,
    run: evaluate,
  });
  return isOver ? figures : continueAsNew<typeof segmentRounds>(figures);

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
    setCurrentDetails(
      `**${figures.turns}** turns of projects, **${figures.changes}** changes: **${figures.added}** entries, ` +
        `**${figures.removed}** exits; **${figures.failed}** turns failed`,
    );
  }
}
