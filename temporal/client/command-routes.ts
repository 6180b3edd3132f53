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
import {
  type EventDeletionInput,
  eventDeletionWorkflow,
  type ProjectErasureInput,
  projectErasureWorkflow,
} from '../contracts/erasures.ts';
import { type InboundEmailInput, inboundEmailWorkflow } from '../contracts/inbound-email.ts';
import type { JobKind } from '../contracts/search-attributes.ts';

export interface SubjectWorkflow {
  type: string;
  /** Its workflow id begins with it. */
  jobKind: JobKind;
  input: (subjectId: string) => unknown;
  summary: string;
  subject?: 'CampaignId' | 'ContactId';
  /** Thousands may be due at once: it shares the task queue of executions. */
  isNumerous?: true;
  /**
   * Signal-with-start: a running workflow reads its row again. Without it, the workflow is started unless it is running.
   * A command that is delivered twice, or by a repair while Temporal remembers a closed run, starts the workflow again; it
   * ends immediately when its row shows that nothing is left to do.
   */
  signal?: string;
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
    jobKind: 'campaign',
    input: (campaignId): CampaignInput => ({ campaignId, after: 0 }),
    summary: 'Sends a campaign',
    subject: 'CampaignId',
    signal: campaignChangedSignal,
  },
  'contact.snooze': {
    type: contactSnoozeWorkflow,
    jobKind: 'contact-snooze',
    input: (contactId): ContactSnoozeInput => ({ contactId }),
    summary: 'Resubscribes a snoozed contact',
    subject: 'ContactId',
    isNumerous: true,
    signal: snoozeMovedSignal,
  },
  'contacts.import': {
    type: contactImportWorkflow,
    jobKind: 'contact-import',
    input: (jobId): ContactJobInput => ({ jobId }),
    summary: 'Imports contacts from a file',
  },
  'contacts.bulk': {
    type: contactBulkWorkflow,
    jobKind: 'contact-bulk',
    input: (jobId): ContactJobInput => ({ jobId }),
    summary: 'Changes a list of contacts',
  },
  'domain.verify': {
    type: domainVerificationWorkflow,
    jobKind: 'domain-verification',
    input: (domainId): DomainVerificationInput => ({ domainId }),
    summary: 'Watches a sender domain',
  },
  'inbound.receive': {
    type: inboundEmailWorkflow,
    jobKind: 'inbound-email',
    input: (inboundId): InboundEmailInput => ({ inboundId }),
    summary: 'Parses a received email',
  },
  'events.delete': {
    type: eventDeletionWorkflow,
    jobKind: 'event-deletion',
    input: (deletionId): EventDeletionInput => ({ deletionId }),
    summary: 'Deletes the events of a name in ClickHouse',
  },
  'project.erase': {
    type: projectErasureWorkflow,
    jobKind: 'project-erasure',
    input: (erasureId): ProjectErasureInput => ({ erasureId }),
    summary: 'Erases the data of a project',
  },
  'billing.end': {
    type: billingEndWorkflow,
    jobKind: 'billing-end',
    input: (projectId): BillingEndInput => ({ projectId }),
    summary: 'Ends the subscription of a deleted project',
  },
};
