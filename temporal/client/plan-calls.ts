import { newId } from '../../core/new-id.ts';
import type { DueCommand } from '../../db/statements/outbox/due-commands.ts';
import { type EmailBatchInput, emailBatchWorkflow } from '../contracts/email-batch.ts';
import { fairness } from '../contracts/fairness.ts';
import { searchAttributes } from '../contracts/search-attributes.ts';
import { emailTaskQueue, jobTaskQueue } from '../contracts/task-queues.ts';
import { workflowIds } from '../contracts/workflow-ids.ts';
import { commandRoutes, type SubjectWorkflow } from './command-routes.ts';
import { planExecutionCalls } from './execution-calls.ts';
import { ignoreStarted, type WorkflowCall } from './workflow-call.ts';

/** @param emailsInMs delay before the workflow of emails begins */
export function planCalls(due: readonly DueCommand[], emailsInMs = 0): WorkflowCall[] {
  const emails: DueCommand[] = [];
  const executions: DueCommand[] = [];
  const calls: WorkflowCall[] = [];
  for (const command of due) {
    const route = commandRoutes[command.kind];
    if (route === 'email batch') emails.push(command);
    else if (route === 'execution') executions.push(command);
    else calls.push(subjectCall(command, route));
  }
  return [...emailBatchCalls(emails, emailsInMs), ...calls, ...planExecutionCalls(executions)];
}

/** Emails of a project that share a batch of their own; fewer share one with other projects. */
const ownBatch = 10;

/** A project with many emails waits in its own turn for the slots of activities, not before the emails of others. */
function emailBatchCalls(emails: readonly DueCommand[], startInMs: number): WorkflowCall[] {
  const byProject = [...Map.groupBy(emails, ({ projectId }) => projectId)];
  const shared = byProject.flatMap(([, commands]) => (commands.length < ownBatch ? commands : []));
  const own = byProject.filter(([, commands]) => commands.length >= ownBatch);
  const calls = own.map(([projectId, commands]) => emailBatchCall(commands, projectId, startInMs));
  return shared.length > 0 ? [emailBatchCall(shared, null, startInMs), ...calls] : calls;
}

function emailBatchCall(commands: DueCommand[], projectId: string | null, startInMs: number): WorkflowCall {
  const emailIds = commands.map((command) => command.subjectId);
  const input: EmailBatchInput = { emailIds, round: 0 };
  // A new id each time: a repeated round may hold other commands too, and claims make repeats idempotent.
  const workflowId = workflowIds.ofSubject('email-batch', newId());
  return {
    commands,
    workflowId,
    async send(client, taskQueue) {
      await client.workflow.start(emailBatchWorkflow, {
        workflowId,
        taskQueue: emailTaskQueue(taskQueue),
        args: [input],
        ...(startInMs > 0 && { startDelay: startInMs }),
        staticSummary: `Transactional: ${emailIds.length} email${emailIds.length === 1 ? '' : 's'}`,
        typedSearchAttributes: searchAttributes({
          JobKind: 'email-batch',
          ...(projectId !== null && { ProjectId: projectId }),
        }),
        priority: fairness(projectId, 'email-batch'),
      });
    },
  };
}

function subjectCall(command: DueCommand, workflow: SubjectWorkflow): WorkflowCall {
  const { subjectId, projectId } = command;
  const { type, jobKind, signal, isNumerous } = workflow;
  const workflowId = workflowIds.ofSubject(jobKind, subjectId);
  return {
    commands: [command],
    workflowId,
    async send(client, taskQueue) {
      const options = {
        workflowId,
        taskQueue: isNumerous ? taskQueue : jobTaskQueue(taskQueue),
        args: [workflow.input(subjectId)],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: workflow.summary,
        typedSearchAttributes: searchAttributes({
          JobKind: jobKind,
          ProjectId: projectId,
          ...(workflow.subject !== undefined && { [workflow.subject]: subjectId }),
        }),
        priority: fairness(projectId, jobKind),
      } as const;
      if (signal === undefined) await ignoreStarted(client.workflow.start(type, options));
      else await client.workflow.signalWithStart(type, { ...options, signal, signalArgs: [] });
    },
  };
}
