import type { Client } from '@temporalio/client';
import type { DueCommand } from '../../db/statements/outbox/due-commands.ts';
import { fairness } from '../contracts/fairness.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import {
  executionChangedSignal,
  type WorkflowExecutionInput,
  workflowExecutionWorkflow,
} from '../contracts/workflow-execution.ts';
import { workflowIds } from '../contracts/workflow-ids.ts';
import { signalRunningExecution } from './execution-workflows.ts';
import { ignoreStarted, type WorkflowCall } from './workflow-call.ts';

interface ExecutionSubject {
  executionId: string;
  projectId: string;
  workflowId: string;
  contactId: string;
}

const temporalIdOf = ({ workflowId, contactId, executionId }: ExecutionSubject) =>
  workflowIds.workflowExecution(workflowId, contactId, executionId);

function optionsOf(taskQueue: string, subject: ExecutionSubject) {
  const { executionId, projectId, workflowId, contactId } = subject;
  const input: WorkflowExecutionInput = { executionId };
  return {
    workflowId: temporalIdOf(subject),
    taskQueue,
    args: [input],
    staticSummary: 'One contact in a workflow',
    typedSearchAttributes: searchAttributes({
      JobKind: 'workflow-execution',
      ProjectId: projectId,
      WorkflowDefinitionId: workflowId,
      ContactId: contactId,
    }),
    priority: fairness(projectId, 'workflow-execution'),
  };
}

function startExecution(client: Client, taskQueue: string, subject: ExecutionSubject): Promise<void> {
  const options = { ...optionsOf(taskQueue, subject), workflowIdReusePolicy: 'REJECT_DUPLICATE' } as const;
  return ignoreStarted(client.workflow.start(workflowExecutionWorkflow, options));
}

/** If Temporal has lost the workflow, it is restarted at the current step. */
async function wakeExecution(client: Client, taskQueue: string, subject: ExecutionSubject): Promise<void> {
  await client.workflow.signalWithStart(workflowExecutionWorkflow, {
    ...optionsOf(taskQueue, subject),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: executionChangedSignal,
    signalArgs: [],
  });
}

export function planExecutionCalls(due: readonly DueCommand[]): WorkflowCall[] {
  return [...Map.groupBy(due, (command) => command.subjectId)].map(([executionId, commands]) => {
    const execution = commands[0]?.execution;
    // An execution is canceled before it is deleted, so none of its workflows is running.
    if (!execution) return { commands, workflowId: executionId, send: async () => undefined };
    const subject = { executionId, ...execution };
    const kinds = new Set(commands.map(({ kind }) => kind));
    return {
      commands,
      workflowId: temporalIdOf(subject),
      async send(client, taskQueue) {
        if (kinds.has('execution.start')) await startExecution(client, taskQueue, subject);
        if (kinds.has('execution.wake')) await wakeExecution(client, taskQueue, subject);
        else if (kinds.has('execution.cancel')) await signalRunningExecution(client, temporalIdOf(subject));
      },
    };
  });
}
