import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
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
import { type EmailBatchInput, emailBatchWorkflow } from '../contracts/email-batch.ts';
import { type EventDeletionInput, eventDeletionWorkflow } from '../contracts/event-deletion.ts';
import { type JobKind, priorities, workflowIds } from '../contracts/operations.ts';
import { type ProjectErasureInput, projectErasureWorkflow } from '../contracts/project-erasure.ts';
import type { CommandGroup } from './command-group.ts';
import { executionGroups } from './execution-commands.ts';

const jobKind = defineSearchAttributeKey('JobKind', 'KEYWORD');
const campaignId = defineSearchAttributeKey('CampaignId', 'KEYWORD');
const contactId = defineSearchAttributeKey('ContactId', 'KEYWORD');
const attributesOf = (kind: JobKind) => new TypedSearchAttributes([{ key: jobKind, value: kind }]);

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
        taskQueue,
        args: [input],
        staticSummary: `Transactional: ${input.emailIds.length} email${input.emailIds.length === 1 ? '' : 's'}`,
        typedSearchAttributes: attributesOf('email-batch'),
        priority: { priorityKey: priorities.transactional },
      });
    },
  };
}

function domainVerificationGroup(command: DueCommand): CommandGroup {
  const input: DomainVerificationInput = { domainId: command.subjectId };
  const workflowId = workflowIds.domainVerification(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(domainVerificationWorkflow, {
          workflowId,
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: 'Watches a sender domain',
          typedSearchAttributes: attributesOf('domain-verification'),
          priority: { priorityKey: priorities.domain },
        }),
      ),
  };
}

function eventDeletionGroup(command: DueCommand): CommandGroup {
  const input: EventDeletionInput = { deletionId: command.subjectId };
  const workflowId = workflowIds.eventDeletion(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(eventDeletionWorkflow, {
          workflowId,
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: 'Deletes the events of a name in ClickHouse',
          typedSearchAttributes: attributesOf('event-deletion'),
          priority: { priorityKey: priorities.deletion },
        }),
      ),
  };
}

function projectErasureGroup(command: DueCommand): CommandGroup {
  const input: ProjectErasureInput = { erasureId: command.subjectId };
  const workflowId = workflowIds.projectErasure(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(projectErasureWorkflow, {
          workflowId,
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: 'Erases the data of a project',
          typedSearchAttributes: attributesOf('project-erasure'),
          priority: { priorityKey: priorities.deletion },
        }),
      ),
  };
}

function billingEndGroup(command: DueCommand): CommandGroup {
  const input: BillingEndInput = { projectId: command.subjectId };
  const workflowId = workflowIds.billingEnd(command.subjectId);
  return {
    commands: [command],
    workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(billingEndWorkflow, {
          workflowId,
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: 'Ends the subscription of a deleted project',
          typedSearchAttributes: attributesOf('billing-end'),
          priority: { priorityKey: priorities.deletion },
        }),
      ),
  };
}

function contactJobGroup(
  command: DueCommand,
  job: { kind: JobKind; workflow: string; workflowId: string; summary: string },
): CommandGroup {
  const input: ContactJobInput = { jobId: command.subjectId };
  return {
    commands: [command],
    workflowId: job.workflowId,
    send: (client, taskQueue) =>
      ignoringDuplicates(
        client.workflow.start(job.workflow, {
          workflowId: job.workflowId,
          taskQueue,
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: job.summary,
          typedSearchAttributes: attributesOf(job.kind),
          priority: { priorityKey: priorities.import },
        }),
      ),
  };
}

function contactImportGroup(command: DueCommand): CommandGroup {
  const workflowId = workflowIds.contactImport(command.subjectId);
  const summary = 'Imports contacts from a file';
  return contactJobGroup(command, {
    kind: 'contact-import',
    workflow: contactImportWorkflow,
    workflowId,
    summary,
  });
}

function contactBulkGroup(command: DueCommand): CommandGroup {
  const workflowId = workflowIds.contactBulk(command.subjectId);
  const summary = 'Changes a list of contacts';
  return contactJobGroup(command, {
    kind: 'contact-bulk',
    workflow: contactBulkWorkflow,
    workflowId,
    summary,
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
        typedSearchAttributes: new TypedSearchAttributes([
          { key: jobKind, value: 'contact-snooze' },
          { key: contactId, value: command.subjectId },
        ]),
        priority: { priorityKey: priorities.snooze },
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
        typedSearchAttributes: new TypedSearchAttributes([
          { key: jobKind, value: 'campaign' },
          { key: campaignId, value: command.subjectId },
        ]),
        priority: { priorityKey: priorities.campaign },
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
