import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { onTaskQueues } from '../contracts/task-queues.ts';
import { executionChangedSignal, workflowExecutionWorkflow } from '../contracts/workflow-execution.ts';

interface RunningExecution {
  executionId: string;
  workflowId: string;
  startedAt: Date;
}

/** Makes the execution's workflow read its state again. @returns false, without an effect, when it is not running */
export async function signalRunningExecution(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(executionChangedSignal);
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return false;
  }
}

/** @param taskQueue of this installation: others in the same namespace have their executions on other queues */
export function createExecutionWorkflows(client: Client, taskQueue: string, pageSize = 500) {
  const ours = `${onTaskQueues([taskQueue])} and WorkflowType = '${workflowExecutionWorkflow}'`;
  return {
    async *running(before: Date): AsyncGenerator<RunningExecution[]> {
      const query = `${ours} and ExecutionStatus = 'Running' and StartTime < '${before.toISOString()}'`;
      let page: RunningExecution[] = [];
      for await (const { workflowId, startTime } of client.workflow.list({ query, pageSize })) {
        const executionId = workflowId.slice(workflowId.lastIndexOf('/') + 1);
        page.push({ workflowId, executionId, startedAt: startTime });
        if (page.length < pageSize) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    signal: (workflowId: string) => signalRunningExecution(client, workflowId),
  };
}
