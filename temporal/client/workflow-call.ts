import type { Client } from '@temporalio/client';
import type { DueCommand } from '../../db/statements/outbox/lock-due-commands.ts';

/** `eager`: the client shares the connection of a worker in this process, which gets the first task with the answer. */
export type StartMode = 'eager' | 'usual';

export interface WorkflowCall {
  commands: DueCommand[];
  workflowId: string;
  /** Emails whose first try is part of the workflow's first task. */
  firstTry?: string[];
  /** Idempotent: starting an existing workflow id succeeds. */
  send: (client: Client, taskQueue: string, start: StartMode) => Promise<void>;
}
