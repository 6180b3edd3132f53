import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { v7 as uuidv7 } from 'uuid';
import type { DueCommand } from '../../db/repositories/outbox/outbox.ts';
import { type BillingEndInput, billingEndWorkflow } from '../contracts/billing-end.ts';
import { type CampaignInput, campaignChangedSignal, campaignWorkflow } from '../contracts/campaign.ts';
import {
  type ContactJobInput,
  contactBulkWorkflow,
  contactImportWorkflow,
} from '../contracts/contact-jobs.ts';
import {
  type ContactSnoozeInput,
  contactSnoozeWorkflow,
  snoozeMovedSignal,
} from '../contracts/contact-snooze.ts';
import {
  type DomainVerificationInput,
  domainVerificationWorkflow,
} from '../contracts/domain-verification.ts';
import { type EmailBatchInput, emailBatchWorkflow, emailTaskQueue } from '../contracts/email-batch.ts';
import { type EventDeletionInput, eventDeletionWorkflow } from '../contracts/event-deletion.ts';
import { type InboundEmailInput, inboundEmailWorkflow } from '../contracts/inbound-email.ts';
import { type JobKind, priorities, workflowIds } from '../contracts/operations.ts';
import { type ProjectErasureInput, projectErasureWorkflow } from '../contracts/project-erasure.ts';
import type { CommandGroup } from './command-group.ts';
import { executionGroups } from './execution-commands.ts';

const jobKind = defineSearchAttributeKey('JobKind', 'KEYWORD');
const projectKey = defineSearchAttributeKey('ProjectId', 'KEYWORD');
const campaignKey = defineSearchAttributeKey('CampaignId', 'KEYWORD');
const contactKey = defineSearchAttributeKey('ContactId', 'KEYWORD');

/** What an operator finds the workflow by; the project is null for work that is of none or of several. */
function attributesOf(kind: JobKind, projectId: string | null, more: SearchAttributePair[] = []) {
  const project = projectId === null ? [] : [{ key: projectKey, value: projectId }];
  return new TypedSearchAttributes([{ key: jobKind, value: kind }, ...project, ...more]);
}

/** Projects take turns within a priority. */
const priorityOf = (priorityKey: number, projectId: string | null) =>
  projectId === null ? { priorityKey } : { priorityKey, fairnessKey: projectId };

/** A workflow that exists already is the success of an earlier try. */
async function ignoringDuplicates(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function emailBatchGroup(commands: DueCommand[]): CommandGroup {
  const input: EmailBatchInput = { emailIds: commands.map((command) => command.subjectId), round: 0 };
  // A fresh id: a repeated set may hold other commands besides, and claims make repeats harmless.
  const workflowId = workflowIds.emailBatch(uuidv7());
  return {
    commands,
    workflowId,
    send: async (client, taskQueue) => {
      await client.workflow.start(emailBatchWorkflow, {
        workflowId,
        taskQueue: emailTaskQueue(taskQueue),
        args: [input],
        staticSummary: `Transactional: ${input.emailIds.length} email${input.emailIds.length === 1 ? '' : 's'}`,
        typedSearchAttributes: attributesOf('email-batch', null),
        priority: { priorityKey: priorities.transactional },
      });
    },
  };
}

interface OnceWorkflow {
  type: string;
  workflowId: string;
  input: unknown;
  kind: JobKind;
  summary: string;
  priority: number;
  /** Started again after it has ended, for a repair; it does nothing that is done. */
  mayRepeat?: boolean;
}

/** A workflow that is started once for its subject. */
function onceGroup(command: DueCommand, workflow: OnceWorkflow): CommandGroup {
  const { workflowId } = workflow;
  return {
    commands: [command],
    workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(workflow.type, {
          workflowId,
          taskQueue,
          args: [workflow.input],
          workflowIdReusePolicy: workflow.mayRepeat ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
          staticSummary: workflow.summary,
          typedSearchAttributes: attributesOf(workflow.kind, command.projectId),
          priority: priorityOf(workflow.priority, command.projectId),
        }),
      ),
  };
}

function domainVerificationGroup(command: DueCommand): CommandGroup {
  const input: DomainVerificationInput = { domainId: command.subjectId };
  return onceGroup(command, {
    type: domainVerificationWorkflow,
    workflowId: workflowIds.domainVerification(command.subjectId),
    input,
    kind: 'domain-verification',
    summary: 'Watches a sender domain',
    priority: priorities.domain,
  });
}

function eventDeletionGroup(command: DueCommand): CommandGroup {
  const input: EventDeletionInput = { deletionId: command.subjectId };
  return onceGroup(command, {
    type: eventDeletionWorkflow,
    workflowId: workflowIds.eventDeletion(command.subjectId),
    input,
    kind: 'event-deletion',
    summary: 'Deletes the events of a name in ClickHouse',
    priority: priorities.deletion,
  });
}

function projectErasureGroup(command: DueCommand): CommandGroup {
  const input: ProjectErasureInput = { erasureId: command.subjectId };
  return onceGroup(command, {
    type: projectErasureWorkflow,
    workflowId: workflowIds.projectErasure(command.subjectId),
    input,
    kind: 'project-erasure',
    summary: 'Erases the data of a project',
    priority: priorities.deletion,
  });
}

function billingEndGroup(command: DueCommand): CommandGroup {
  const input: BillingEndInput = { projectId: command.subjectId };
  return onceGroup(command, {
    type: billingEndWorkflow,
    workflowId: workflowIds.billingEnd(command.subjectId),
    input,
    kind: 'billing-end',
    summary: 'Ends the subscription of a deleted project',
    priority: priorities.deletion,
  });
}

function inboundEmailGroup(command: DueCommand): CommandGroup {
  const input: InboundEmailInput = { inboundId: command.subjectId };
  return onceGroup(command, {
    type: inboundEmailWorkflow,
    workflowId: workflowIds.inboundEmail(command.subjectId),
    input,
    kind: 'inbound-email',
    summary: 'Reads an email that came in',
    priority: priorities.inbound,
    mayRepeat: true,
  });
}

function contactImportGroup(command: DueCommand): CommandGroup {
  const input: ContactJobInput = { jobId: command.subjectId };
  return onceGroup(command, {
    type: contactImportWorkflow,
    workflowId: workflowIds.contactImport(command.subjectId),
    input,
    kind: 'contact-import',
    summary: 'Imports contacts from a file',
    priority: priorities.import,
  });
}

function contactBulkGroup(command: DueCommand): CommandGroup {
  const input: ContactJobInput = { jobId: command.subjectId };
  return onceGroup(command, {
    type: contactBulkWorkflow,
    workflowId: workflowIds.contactBulk(command.subjectId),
    input,
    kind: 'contact-bulk',
    summary: 'Changes a list of contacts',
    priority: priorities.import,
  });
}

/** A snooze that runs already is told that its end has moved. */
function contactSnoozeGroup(command: DueCommand): CommandGroup {
  const input: ContactSnoozeInput = { contactId: command.subjectId };
  const workflowId = workflowIds.contactSnooze(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: async (client, taskQueue) => {
      await client.workflow.signalWithStart(contactSnoozeWorkflow, {
        workflowId,
        taskQueue,
        args: [input],
        signal: snoozeMovedSignal,
        staticSummary: 'Subscribes a snoozed contact again',
        typedSearchAttributes: attributesOf('contact-snooze', command.projectId, [
          { key: contactKey, value: command.subjectId },
        ]),
        priority: priorityOf(priorities.snooze, command.projectId),
      });
    },
  };
}

function campaignGroup(command: DueCommand): CommandGroup {
  const input: CampaignInput = { campaignId: command.subjectId, after: 0 };
  const workflowId = workflowIds.campaign(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: async (client, taskQueue) => {
      // One that is over may be started again: it looks, and ends at once when there is nothing to do.
      await client.workflow.signalWithStart(campaignWorkflow, {
        workflowId,
        taskQueue,
        args: [input],
        signal: campaignChangedSignal,
        signalArgs: [],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        staticSummary: 'Sends a campaign',
        typedSearchAttributes: attributesOf('campaign', command.projectId, [
          { key: campaignKey, value: command.subjectId },
        ]),
        priority: priorityOf(priorities.campaign, command.projectId),
      });
    },
  };
}

/** Orders due commands into calls: all dispatches share one batch workflow, everything else goes one by one. */
export function groupCommands(due: DueCommand[]): CommandGroup[] {
  const dispatches: DueCommand[] = [];
  const executions: DueCommand[] = [];
  const groups: CommandGroup[] = [];
  for (const command of due) {
    switch (command.kind) {
      case 'email.dispatch':
        dispatches.push(command);
        break;
      case 'campaign.changed':
        groups.push(campaignGroup(command));
        break;
      case 'domain.verify':
        groups.push(domainVerificationGroup(command));
        break;
      case 'contact.snooze':
        groups.push(contactSnoozeGroup(command));
        break;
      case 'contacts.import':
        groups.push(contactImportGroup(command));
        break;
      case 'contacts.bulk':
        groups.push(contactBulkGroup(command));
        break;
      case 'project.erase':
        groups.push(projectErasureGroup(command));
        break;
      case 'billing.end':
        groups.push(billingEndGroup(command));
        break;
      case 'inbound.receive':
        groups.push(inboundEmailGroup(command));
        break;
      case 'events.delete':
        groups.push(eventDeletionGroup(command));
        break;
      case 'execution.start':
      case 'execution.wake':
      case 'execution.cancel':
        executions.push(command);
        break;
    }
  }
  groups.push(...executionGroups(executions));
  if (dispatches.length > 0) groups.unshift(emailBatchGroup(dispatches));
  return groups;
}
