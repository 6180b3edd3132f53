import type { Em } from '../../db/orm.ts';
import {
  findActiveExecutions,
  remindLateExecutions,
} from '../../db/repositories/workflows/repair-executions.ts';
import type { OrphanedExecutionsInput, OrphanedExecutionsResult } from '../../temporal/contracts/sweeps.ts';

/** The workflows of executions, as Temporal knows them. */
export interface ExecutionWorkflows {
  /** Those that run and were started before that, newest first, some hundred at a time. */
  running(before: Date): AsyncIterable<{ executionId: string; workflowId: string; startedAt: Date }[]>;
  /** Tells one to look where its execution stands. */
  remind(workflowId: string): Promise<void>;
}

/** Below that, commands and retries may be on their way. */
const lateSeconds = 10 * 60;

/** What should have gone on is told so; a workflow that Temporal has lost begins anew where the execution stands. */
export async function remindExecutions(em: Em): Promise<{ reminded: number }> {
  return { reminded: await remindLateExecutions(em, lateSeconds) };
}

/**
 * Workflows that wait although their execution has ended, or is gone, are told to look, and end. As many as can be
 * looked at within `budgetMs` (some ten thousand a minute), whatever their number; the next slice goes on with older ones.
 *
 * @param input.now what was started within the minutes before it is left out: its commands may be on their way
 */
export async function endOrphanedExecutions(
  em: Em,
  workflows: ExecutionWorkflows,
  { resumeBefore, now, budgetMs }: OrphanedExecutionsInput & { now: Date; budgetMs: number },
): Promise<OrphanedExecutionsResult> {
  const found: OrphanedExecutionsResult = { running: 0, orphaned: 0, resumeBefore: 0 };
  const settledBy = now.getTime() - lateSeconds * 1000;
  const before = resumeBefore === 0 ? settledBy : Math.min(resumeBefore, settledBy);
  const deadline = performance.now() + budgetMs;
  for await (const page of workflows.running(new Date(before))) {
    const active = await findActiveExecutions(
      em,
      page.map(({ executionId }) => executionId),
    );
    found.running += page.length;
    for (const { executionId, workflowId } of page) {
      if (active.has(executionId)) continue;
      found.orphaned += 1;
      await workflows.remind(workflowId);
    }
    const oldest = Math.min(...page.map(({ startedAt }) => startedAt.getTime()));
    // Beyond the oldest millisecond by one: others may have been started within it. A page of one instant makes way.
    const next = Math.min(oldest + 1, before - 1);
    if (performance.now() > deadline) return { ...found, resumeBefore: next };
  }
  return found;
}
