import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { DueCommand } from '../../db/repositories/outbox.ts';
import { priorities, workflowIds } from '../contracts/operations.ts';
import {
  executionChangedSignal,
  type WorkflowExecutionInput,
  workflowExecutionWorkflow,
} from '../contracts/workflow-execution.ts';
import type { CommandGroup } from './command-group.ts';

const jobKind = defineSearchAttributeKey('JobKind', 'KEYWORD');
const projectKey = defineSearchAttributeKey('ProjectId', 'KEYWORD');
const contactKey = defineSearchAttributeKey('ContactId', 'KEYWORD');
const definitionKey = defineSearchAttributeKey('WorkflowDefinitionId', 'KEYWORD');

/** Whose execution it is; names its workflow. */
export interface ExecutionSubject {
  executionId: string;
  projectId: string;
  workflowId: string;
  contactId: string;
}

/**
 * Starts the workflow of an execution, once: that it was started before is success.
 *
 * @param again also when one of this id has ended: it looks where the execution stands and goes on from there
 */
export async function startExecutionWorkflow(
  client: Client,
  taskQueue: string,
  subject: ExecutionSubject,
  again = false,
): Promise<void> {
  const { executionId, projectId, workflowId, contactId } = subject;
  const input: WorkflowExecutionInput = { executionId };
  try {
    await client.workflow.start(workflowExecutionWorkflow, {
      workflowId: workflowIds.workflowExecution(workflowId, contactId, executionId),
      taskQueue,
      args: [input],
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      staticSummary: 'One contact in a workflow',
      typedSearchAttributes: new TypedSearchAttributes([
        { key: jobKind, value: 'workflow-execution' },
        { key: projectKey, value: projectId },
        { key: definitionKey, value: workflowId },
        { key: contactKey, value: contactId },
      ]),
      priority: { priorityKey: priorities.workflow, fairnessKey: projectId },
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Tells the workflow of an execution to look again; one that has ended does not need to. */
export async function signalExecutionWorkflow(client: Client, subject: ExecutionSubject): Promise<void> {
  const { executionId, workflowId, contactId } = subject;
  const handle = client.workflow.getHandle(workflowIds.workflowExecution(workflowId, contactId, executionId));
  try {
    await handle.signal(executionChangedSignal);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** A group per execution: its start first, and one signal for all that has changed since. */
export function executionGroups(due: DueCommand[]): CommandGroup[] {
  return [...Map.groupBy(due, (command) => command.subjectId)].map(([executionId, commands]) => {
    const subject = commands[0]?.execution;
    // Whoever deletes executions has cancelled them before.
    if (!subject) return { commands, workflowId: executionId, send: async () => undefined };
    return {
      commands,
      workflowId: workflowIds.workflowExecution(subject.workflowId, subject.contactId, executionId),
      send: async (client, taskQueue) => {
        const isStart = commands.some(({ kind }) => kind === 'execution.start');
        if (isStart) await startExecutionWorkflow(client, taskQueue, { executionId, ...subject });
        if (commands.some(({ kind }) => kind !== 'execution.start')) {
          await signalExecutionWorkflow(client, { executionId, ...subject });
        }
      },
    };
  });
}
