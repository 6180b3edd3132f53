import type { Em } from '../../db/orm.ts';
import {
  findActiveExecutions,
  remindLateExecutions,
} from '../../db/repositories/workflows/repair-executions.ts';

/** The workflows of executions, as Temporal knows them. */
export interface ExecutionWorkflows {
  /** Those that run and are older than `olderThanMs`, some hundred at a time. */
  running(olderThanMs: number): AsyncIterable<{ executionId: string; workflowId: string }[]>;
  /** Tells one to look where its execution stands. */
  remind(workflowId: string): Promise<void>;
}

/** Below that, commands and retries may be on their way. */
const lateSeconds = 10 * 60;

/** What should have gone on is told so; a workflow that Temporal has lost begins anew where the execution stands. */
export async function remindExecutions(em: Em): Promise<{ reminded: number }> {
  return { reminded: await remindLateExecutions(em, lateSeconds) };
}

/** Workflows that wait although their execution has ended, or is gone, are told to look, and end. */
export async function endOrphanedExecutions(
  em: Em,
  workflows: ExecutionWorkflows,
): Promise<{ running: number; orphaned: number }> {
  const found = { running: 0, orphaned: 0 };
  for await (const page of workflows.running(lateSeconds * 1000)) {
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
  }
  return found;
}
