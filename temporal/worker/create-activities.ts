import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { EventDeletion } from '../../db/entities/event.ts';
import { closeErasure } from '../../db/statements/projects/erasure-orders.ts';
import type { BillingProvider } from '../../providers/billing/stripe.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import { endBilling } from '../activities/billing/end-billing.ts';
import type { BatchSender } from '../activities/campaigns/create-batch-sender.ts';
import { createCampaignActivities } from '../activities/campaigns/create-campaign-activities.ts';
import { endContactSnooze } from '../activities/contacts/end-snooze.ts';
import { checkDomain } from '../activities/domains/check-domain.ts';
import { limitChecks } from '../activities/domains/limit-checks.ts';
import type { EmailDispatcher } from '../activities/emails/email-dispatcher.ts';
import { eraseDeletedEvents } from '../activities/events/erase-events.ts';
import {
  giveUpInboundEmail,
  type InboundReader,
  receiveInboundEmail,
} from '../activities/inbound/receive-email.ts';
import { createJobActivities } from '../activities/jobs/create-job-activities.ts';
import { eraseRecordedProject } from '../activities/projects/erase-recorded-project.ts';
import type { RemoveImage } from '../activities/projects/erase-uploads.ts';
import { createSegmentActivities } from '../activities/segments/create-segment-activities.ts';
import { createSweepActivities } from '../activities/sweeps/create-sweep-activities.ts';
import { runSlice, withHeartbeat } from '../activities/with-heartbeat.ts';
import { createWorkflowActivities } from '../activities/workflows/create-workflow-activities.ts';
import type { WriterDependencies } from '../activities/writer-dependencies.ts';
import type { BillingEndActivities } from '../contracts/billing-end.ts';
import type { CampaignBatchActivities } from '../contracts/campaign.ts';
import type { ContactSnoozeActivities } from '../contracts/contact-snooze.ts';
import type { DomainVerificationActivities } from '../contracts/domain-verification.ts';
import type { EmailBatchActivities } from '../contracts/email-batch.ts';
import type { ErasureActivities } from '../contracts/erasures.ts';
import type { InboundEmailActivities } from '../contracts/inbound-email.ts';

interface PlainDependencies extends WriterDependencies {
  clickhouse: ClickHouse;
  billing: BillingProvider | null;
  identities: DomainIdentities;
  emails: EmailDispatcher;
  inbound: InboundReader;
  removeImage: RemoveImage;
}

export type ActivityDependencies = PlainDependencies &
  Parameters<typeof createCampaignActivities>[0] &
  Parameters<typeof createJobActivities>[0] &
  Parameters<typeof createSegmentActivities>[0] &
  Parameters<typeof createSweepActivities>[0] &
  Parameters<typeof createWorkflowActivities>[0];

export type Activities = ReturnType<typeof createActivities>;

/**
 * All activities of the main task queue and the email queue. Each name is the activity's type in Temporal and part of
 * recorded histories: renaming one breaks running workflows.
 */
export function createActivities(dependencies: ActivityDependencies) {
  return {
    ...createPlainActivities(dependencies),
    ...createCampaignActivities(dependencies),
    ...createJobActivities(dependencies),
    ...createSegmentActivities(dependencies),
    ...createSweepActivities(dependencies),
    ...createWorkflowActivities(dependencies),
  };
}

/** Activities that need no more than one call, in groups of one or two. */
function createPlainActivities({
  orm,
  clickhouse,
  billing,
  identities,
  emails,
  inbound,
  removeImage,
  committed,
}: PlainDependencies): BillingEndActivities &
  ContactSnoozeActivities &
  DomainVerificationActivities &
  EmailBatchActivities &
  ErasureActivities &
  InboundEmailActivities {
  const check = limitChecks((domainId) => checkDomain(orm.em.fork(), identities, domainId));
  return {
    endBilling: ({ projectId }) => endBilling(orm.em.fork(), billing, projectId),
    async endSnooze({ contactId }) {
      const outcome = await endContactSnooze(orm.em.fork(), contactId, new Date());
      if (outcome.outcome === 'resubscribed') committed();
      return outcome;
    },
    checkDomain: ({ domainId }) => check(domainId),
    dispatchEmails: ({ emailIds }) => withHeartbeat((signal) => emails.dispatch(emailIds, signal)),
    eraseEvents: ({ deletionId, sliceMs }) =>
      runSlice(sliceMs, (slice) => eraseDeletedEvents(orm.em.fork(), clickhouse, deletionId, slice)),
    async closeEventDeletion({ deletionId }) {
      await orm.em.fork().nativeDelete(EventDeletion, { id: deletionId });
    },
    receiveInboundEmail: ({ inboundId }) =>
      withHeartbeat(async (signal) => {
        await receiveInboundEmail(orm.em.fork(), inbound, inboundId, signal);
        committed();
      }),
    async giveUpInboundEmail({ inboundId }) {
      await giveUpInboundEmail(orm.em.fork(), inboundId);
      committed();
    },
    eraseProject: ({ erasureId, sliceMs }) =>
      runSlice(sliceMs, (slice) =>
        eraseRecordedProject(orm.em.fork(), { clickhouse, identities, removeImage }, erasureId, slice),
      ),
    closeProjectErasure: ({ erasureId }) => closeErasure(orm.em.fork(), erasureId),
  };
}

const batchHeartbeatMs = 500;

/** The campaign task queue has its own worker, so that nothing else waits behind a batch. */
export function createCampaignBatchActivities(send: BatchSender): CampaignBatchActivities {
  return { sendBatch: (input) => withHeartbeat((signal) => send(input, signal), batchHeartbeatMs) };
}
