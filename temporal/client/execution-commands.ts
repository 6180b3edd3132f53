import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { DueCommand } from '../../db/repositories/outbox/outbox.ts';
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
interface ExecutionSubject {
  executionId: string;
  projectId: string;
  workflowId: string;
  contactId: string;
}

function optionsOf(taskQueue: string, { executionId, projectId, workflowId, contactId }: ExecutionSubject) {
  const input: WorkflowExecutionInput = { executionId };
  return {
    workflowId: workflowIds.workflowExecution(workflowId, contactId, executionId),
    taskQueue,
    args: [input],
    staticSummary: 'One contact in a workflow',
    typedSearchAttributes: new TypedSearchAttributes([
      { key: jobKind, value: 'workflow-execution' },
      { key: projectKey, value: projectId },
      { key: definitionKey, value: workflowId },
      { key: contactKey, value: contactId },
    ]),
    priority: { priorityKey: priorities.workflow, fairnessKey: projectId },
  };
}

/** Starts the workflow of an execution, once: that it was started before is success. */
async function startWorkflow(client: Client, taskQueue: string, subject: ExecutionSubject): Promise<void> {
  try {
    await client.workflow.start(workflowExecutionWorkflow, {
      ...optionsOf(taskQueue, subject),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/**
 * Tells the workflow of an execution to look where it stands. One that Temporal has lost begins anew; what is over
 * ends at its first look.
 */
async function wakeWorkflow(client: Client, taskQueue: string, subject: ExecutionSubject): Promise<void> {
  await client.workflow.signalWithStart(workflowExecutionWorkflow, {
    ...optionsOf(taskQueue, subject),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: executionChangedSignal,
    signalArgs: [],
  });
}

/** As `wakeWorkflow`, but one that is not running has nothing to end. */
async function endWorkflow(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(executionChangedSignal);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

interface RunningExecution {
  executionId: string;
  workflowId: string;
  startedAt: Date;
}

/**
 * The workflows of executions, for their repair.
 *
 * @param pageSize of those that are looked at together
 */
export function createExecutionWorkflows(client: Client, pageSize = 500) {
  return {
    /** Newest first, which is the order of the server's lists. */
    async *running(before: Date): AsyncGenerator<RunningExecution[]> {
      const query = `WorkflowType = '${workflowExecutionWorkflow}' and ExecutionStatus = 'Running' and StartTime < '${before.toISOString()}'`;
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
    remind: (workflowId: string) => endWorkflow(client, workflowId),
  };
}

/** A group per execution: its start first, and one signal for all that has changed since. */
export function executionGroups(due: DueCommand[]): CommandGroup[] {
  return [...Map.groupBy(due, (command) => command.subjectId)].map(([executionId, commands]) => {
    const subject = commands[0]?.execution;
    // Whoever deletes executions has cancelled them before.
    if (!subject) return { commands, workflowId: executionId, send: async () => undefined };
    const workflowId = workflowIds.workflowExecution(subject.workflowId, subject.contactId, executionId);
    return {
      commands,
      workflowId,
      send: async (client, taskQueue) => {
        const kinds = new Set(commands.map(({ kind }) => kind));
        const whole = { executionId, ...subject };
        if (kinds.has('execution.start')) await startWorkflow(client, taskQueue, whole);
        if (kinds.has('execution.wake')) await wakeWorkflow(client, taskQueue, whole);
        else if (kinds.has('execution.cancel')) await endWorkflow(client, workflowId);
      },
    };
  });
}
