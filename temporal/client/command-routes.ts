import type { OutboxKind } from '../../db/entities/outbox-command.ts';
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
import { type EventDeletionInput, eventDeletionWorkflow } from '../contracts/event-deletion.ts';
import { type InboundEmailInput, inboundEmailWorkflow } from '../contracts/inbound-email.ts';
import { type ProjectErasureInput, projectErasureWorkflow } from '../contracts/project-erasure.ts';
import type { JobKind } from '../contracts/search-attributes.ts';
import { workflowIds } from '../contracts/workflow-ids.ts';

export interface SubjectWorkflow {
  type: string;
  id: (subjectId: string) => string;
  input: (subjectId: string) => unknown;
  summary: string;
  jobKind: JobKind;
  subject?: 'CampaignId' | 'ContactId';
  /**
   * `start`: started unless it is running. A command that is delivered twice, or by a repair while Temporal remembers a
   * closed run, starts the workflow again; it ends immediately when its row shows that nothing is left to do. `signal`:
   * signal-with-start; a running workflow reads its row again.
   */
  delivery: 'start' | { signal: string };
}

/**
 * How each command reaches Temporal. `email batch`: all emails of a round share one workflow. `execution`: all commands
 * of one execution share one call.
 */
export const commandRoutes: Readonly<Record<OutboxKind, SubjectWorkflow | 'email batch' | 'execution'>> = {
  'email.dispatch': 'email batch',
  'execution.start': 'execution',
  'execution.wake': 'execution',
  'execution.cancel': 'execution',
  'campaign.changed': {
    type: campaignWorkflow,
    id: workflowIds.campaign,
    input: (campaignId): CampaignInput => ({ campaignId, after: 0 }),
    summary: 'Sends a campaign',
    jobKind: 'campaign',
    subject: 'CampaignId',
    delivery: { signal: campaignChangedSignal },
  },
  'contact.snooze': {
    type: contactSnoozeWorkflow,
    id: workflowIds.contactSnooze,
    input: (contactId): ContactSnoozeInput => ({ contactId }),
    summary: 'Resubscribes a snoozed contact',
    jobKind: 'contact-snooze',
    subject: 'ContactId',
    delivery: { signal: snoozeMovedSignal },
  },
  'contacts.import': {
    type: contactImportWorkflow,
    id: workflowIds.contactImport,
    input: (jobId): ContactJobInput => ({ jobId }),
    summary: 'Imports contacts from a file',
    jobKind: 'contact-import',
    delivery: 'start',
  },
  'contacts.bulk': {
    type: contactBulkWorkflow,
    id: workflowIds.contactBulk,
    input: (jobId): ContactJobInput => ({ jobId }),
    summary: 'Changes a list of contacts',
    jobKind: 'contact-bulk',
    delivery: 'start',
  },
  'domain.verify': {
    type: domainVerificationWorkflow,
    id: workflowIds.domainVerification,
    input: (domainId): DomainVerificationInput => ({ domainId }),
    summary: 'Watches a sender domain',
    jobKind: 'domain-verification',
    delivery: 'start',
  },
  'inbound.receive': {
    type: inboundEmailWorkflow,
    id: workflowIds.inboundEmail,
    input: (inboundId): InboundEmailInput => ({ inboundId }),
    summary: 'Parses a received email',
    jobKind: 'inbound-email',
    delivery: 'start',
  },
  'events.delete': {
    type: eventDeletionWorkflow,
    id: workflowIds.eventDeletion,
    input: (deletionId): EventDeletionInput => ({ deletionId }),
    summary: 'Deletes the events of a name in ClickHouse',
    jobKind: 'event-deletion',
    delivery: 'start',
  },
  'project.erase': {
    type: projectErasureWorkflow,
    id: workflowIds.projectErasure,
    input: (erasureId): ProjectErasureInput => ({ erasureId }),
    summary: 'Erases the data of a project',
    jobKind: 'project-erasure',
    delivery: 'start',
  },
  'billing.end': {
    type: billingEndWorkflow,
    id: workflowIds.billingEnd,
    input: (projectId): BillingEndInput => ({ projectId }),
    summary: 'Ends the subscription of a deleted project',
    jobKind: 'billing-end',
    delivery: 'start',
  },
};
