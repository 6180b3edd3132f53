import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';

export async function ignoreStarted(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
