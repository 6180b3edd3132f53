import {
  type BillingActivityDependencies,
  createBillingActivities,
} from '../activities/billing/create-billing-activities.ts';
import type { BatchSender } from '../activities/campaigns/create-batch-sender.ts';
import {
  type CampaignActivityDependencies,
  createCampaignActivities,
} from '../activities/campaigns/create-campaign-activities.ts';
import {
  type ContactActivityDependencies,
  createContactActivities,
} from '../activities/contacts/create-contact-activities.ts';
import {
  createDomainActivities,
  type DomainActivityDependencies,
} from '../activities/domains/create-domain-activities.ts';
import {
  createEmailActivities,
  type EmailActivityDependencies,
} from '../activities/emails/create-email-activities.ts';
import {
  createEventActivities,
  type EventActivityDependencies,
} from '../activities/events/create-event-activities.ts';
import {
  createInboundActivities,
  type InboundActivityDependencies,
} from '../activities/inbound/create-inbound-activities.ts';
import {
  createJobActivities,
  type JobActivityDependencies,
} from '../activities/jobs/create-job-activities.ts';
import {
  createProjectActivities,
  type ProjectActivityDependencies,
} from '../activities/projects/create-project-activities.ts';
import {
  createSegmentActivities,
  type SegmentActivityDependencies,
} from '../activities/segments/create-segment-activities.ts';
import {
  createSweepActivities,
  type SweepActivityDependencies,
} from '../activities/sweeps/create-sweep-activities.ts';
import { withHeartbeat } from '../activities/with-heartbeat.ts';
import {
  createWorkflowActivities,
  type WorkflowActivityDependencies,
} from '../activities/workflows/create-workflow-activities.ts';
import type { CampaignBatchActivities } from '../contracts/campaign.ts';

export type ActivityDependencies = BillingActivityDependencies &
  CampaignActivityDependencies &
  ContactActivityDependencies &
  DomainActivityDependencies &
  EmailActivityDependencies &
  EventActivityDependencies &
  InboundActivityDependencies &
  JobActivityDependencies &
  ProjectActivityDependencies &
  SegmentActivityDependencies &
  SweepActivityDependencies &
  WorkflowActivityDependencies;

export type Activities = ReturnType<typeof createActivities>;

/**
 * All activities of the main task queue and the email queue. Each name is the activity's type in Temporal and
 * part of recorded histories: renaming one breaks running workflows.
 */
export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createBillingActivities(dependencies),
    ...createCampaignActivities(dependencies),
    ...createContactActivities(dependencies),
    ...createDomainActivities(dependencies),
    ...createEmailActivities(dependencies),
    ...createEventActivities(dependencies),
    ...createInboundActivities(dependencies),
    ...createJobActivities(dependencies),
    ...createProjectActivities(dependencies),
    ...createSegmentActivities(dependencies),
    ...createSweepActivities(dependencies),
    ...createWorkflowActivities(dependencies),
  };
}

const batchHeartbeatMs = 500;

/** The campaign task queue has its own worker, so that nothing else waits behind a batch. */
export function createCampaignBatchActivities(send: BatchSender): CampaignBatchActivities {
  return {
    sendBatch: (input) => withHeartbeat((signal) => send(input, signal), batchHeartbeatMs),
  };
}
