import type { Em } from '../../../db/orm.ts';
import { findActiveExecutions } from '../../../db/statements/workflows/find-active-executions.ts';
import type { OrphanedExecutionsInput, OrphanedExecutionsResult } from '../../contracts/sweeps.ts';

export interface ExecutionWorkflows {
  running(before: Date): AsyncIterable<{ executionId: string; workflowId: string; startedAt: Date }[]>;
  signal(workflowId: string): Promise<unknown>;
}

/** Younger executions may still have commands or retries in flight. */
export const lateSeconds = 10 * 60;

/**
 * Signals workflow runs that still wait although their execution has ended or is gone, or an event has ended its wait.
 * Compares for `budgetMs`, about ten thousand a minute; the next slice continues with older ones.
 *
 * @param input.now workflow runs started in the ten minutes before it are skipped: their commands may be in flight
 */
export async function endOrphanedExecutions(
  em: Em,
  workflows: ExecutionWorkflows,
  { resumeBefore, now, budgetMs }: OrphanedExecutionsInput & { now: Date; budgetMs: number },
): Promise<OrphanedExecutionsResult> {
  const found: OrphanedExecutionsResult = { running: 0, orphaned: 0, missed: 0, resumeBefore: 0 };
  const settledBy = now.getTime() - lateSeconds * 1000;
  const before = resumeBefore === 0 ? settledBy : Math.min(resumeBefore, settledBy);
  const deadline = performance.now() + budgetMs;
  for await (const page of workflows.running(new Date(before))) {
    const ids = page.map(({ executionId }) => executionId);
    const rows = await findActiveExecutions(em, ids, lateSeconds);
    const active = new Map(rows.map(({ id, hasMissedEvent }) => [id, hasMissedEvent]));
    found.running += page.length;
    for (const { executionId, workflowId } of page) {
      const hasMissedEvent = active.get(executionId);
      if (hasMissedEvent === false) continue;
      if (hasMissedEvent) found.missed += 1;
      else found.orphaned += 1;
      await workflows.signal(workflowId);
    }
    const oldest = Math.min(...page.map(({ startedAt }) => startedAt.getTime()));
    // One past the oldest millisecond, in which others may have started, but always below `before`: otherwise a page
    // whose workflows all started in one millisecond would repeat endlessly.
    const next = Math.min(oldest + 1, before - 1);
    if (performance.now() > deadline) return { ...found, resumeBefore: next };
  }
  return found;
}
