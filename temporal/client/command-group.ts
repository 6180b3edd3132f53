import type { Client } from '@temporalio/client';
import type { DueCommand } from '../../db/repositories/outbox/outbox.ts';

/** Commands that go to Temporal together. */
export interface CommandGroup {
  commands: DueCommand[];
  /** Id of the workflow that the call starts. */
  workflowId: string;
  send: (client: Client, taskQueue: string) => Promise<void>;
}
