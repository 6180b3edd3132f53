import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { DueCommand } from '../../db/statements/outbox/due-commands.ts';

export interface WorkflowCall {
  commands: DueCommand[];
  workflowId: string;
  /** Idempotent: starting an existing workflow id succeeds. */
  send: (client: Client, taskQueue: string) => Promise<void>;
}

export async function ignoreStarted(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
