import { createBillingActivities } from '../activities/billing/create-billing-activities.ts';
import type { BatchSender } from '../activities/campaigns/create-batch-sender.ts';
import { createCampaignActivities } from '../activities/campaigns/create-campaign-activities.ts';
import { createContactActivities } from '../activities/contacts/create-contact-activities.ts';
import { createDomainActivities } from '../activities/domains/create-domain-activities.ts';
import { createEmailActivities } from '../activities/emails/create-email-activities.ts';
import { createEventActivities } from '../activities/events/create-event-activities.ts';
import { createInboundActivities } from '../activities/inbound/create-inbound-activities.ts';
import { createJobActivities } from '../activities/jobs/create-job-activities.ts';
import { createProjectActivities } from '../activities/projects/create-project-activities.ts';
import { createSegmentActivities } from '../activities/segments/create-segment-activities.ts';
import { createSweepActivities } from '../activities/sweeps/create-sweep-activities.ts';
import { withHeartbeat } from '../activities/with-heartbeat.ts';
import { createWorkflowActivities } from '../activities/workflows/create-workflow-activities.ts';
import type { CampaignBatchActivities } from '../contracts/campaign.ts';

export type ActivityDependencies = Parameters<typeof createBillingActivities>[0] &
  Parameters<typeof createCampaignActivities>[0] &
  Parameters<typeof createContactActivities>[0] &
  Parameters<typeof createDomainActivities>[0] &
  Parameters<typeof createEmailActivities>[0] &
  Parameters<typeof createEventActivities>[0] &
  Parameters<typeof createInboundActivities>[0] &
  Parameters<typeof createJobActivities>[0] &
  Parameters<typeof createProjectActivities>[0] &
  Parameters<typeof createSegmentActivities>[0] &
  Parameters<typeof createSweepActivities>[0] &
  Parameters<typeof createWorkflowActivities>[0];

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
