import { Context } from '@temporalio/activity';
import type { ClickHouse } from '../analytics/clickhouse.ts';
import type { Orm } from '../db/orm.ts';
import { closeEventDeletion } from '../db/repositories/events/event-deletions.ts';
import { requeueStrandedInbound } from '../db/repositories/inbound/pending-inbound.ts';
import { deleteExpired, requeueStrandedEmails } from '../db/repositories/outbox/sweeps.ts';
import { closeErasure } from '../db/repositories/projects/project-erasures.ts';
import type { BillingProvider } from '../providers/billing/billing-provider.ts';
import type { DomainIdentities } from '../providers/domains/domain-identities.ts';
import type { EmailProvider, HandOver } from '../providers/email/email-provider.ts';
import type { SpanFacts, Tracing } from '../runtime/tracing.ts';
import type { BillingEndActivities } from '../temporal/contracts/billing-end.ts';
import type { CampaignActivities, CampaignBatchActivities } from '../temporal/contracts/campaign.ts';
import type { ContactJobActivities, ContactJobProgress } from '../temporal/contracts/contact-jobs.ts';
import type { ContactSnoozeActivities, SnoozeOutcome } from '../temporal/contracts/contact-snooze.ts';
import type { DomainVerificationActivities } from '../temporal/contracts/domain-verification.ts';
import type { DispatchEmailsResult, EmailBatchActivities } from '../temporal/contracts/email-batch.ts';
import type { EventDeletionActivities } from '../temporal/contracts/event-deletion.ts';
import type { InboundEmailActivities } from '../temporal/contracts/inbound-email.ts';
import type { ProjectErasureActivities } from '../temporal/contracts/project-erasure.ts';
import type { SegmentActivities } from '../temporal/contracts/segments.ts';
import type { SweepActivities } from '../temporal/contracts/sweeps.ts';
import type { WebhookActivities, WorkflowStepActivities } from '../temporal/contracts/workflow-execution.ts';
import { endBilling } from './billing/end-billing.ts';
import { batchSeconds } from './campaigns/batch-seconds.ts';
import type { BatchSender } from './campaigns/create-batch-sender.ts';
import { createCampaignActivities } from './campaigns/create-campaign-activities.ts';
import { recountCampaigns, tendCampaigns } from './campaigns/tend-campaigns.ts';
import { endContactSnooze, endOverdueSnoozes } from './contacts/end-snooze.ts';
import { eraseDeletedContacts } from './contacts/erase-contacts.ts';
import { checkDomain } from './domains/check-domain.ts';
import { dispatchEmails } from './emails/dispatch-emails.ts';
import { createDispatchResources } from './emails/dispatch-resources.ts';
import type { ClaimedRenderer } from './emails/render-claimed.ts';
import type { SendRates } from './emails/reserve-slots.ts';
import { eraseDeletedEvents } from './events/erase-events.ts';
import { giveUpInboundEmail, type InboundReader, receiveInboundEmail } from './inbound/receive-email.ts';
import { changeContacts } from './jobs/change-contacts.ts';
import { importContacts } from './jobs/import-contacts.ts';
import type { JobContext } from './jobs/run-job.ts';
import { eraseRecordedProject } from './projects/erase-project.ts';
import { type RemoveImage, sweepUploads } from './projects/erase-uploads.ts';
import { createSegmentActivities } from './segments/create-segment-activities.ts';
import { foldFigures } from './sweeps/fold-contact-figures.ts';
import { judgeSenders } from './sweeps/judge-senders.ts';
import type { TellOwners } from './sweeps/tell-owners.ts';
import type { WebhookCaller } from './workflows/call-webhook.ts';
import { createWorkflowActivities } from './workflows/create-workflow-activities.ts';
import {
  type ExecutionWorkflows,
  endOrphanedExecutions,
  remindExecutions,
} from './workflows/repair-executions.ts';

export interface ActivityDependencies {
  orm: Orm;
  clickhouse: ClickHouse;
  provider: EmailProvider;
  identities: DomainIdentities;
  /** Removes an uploaded image. */
  removeImage: RemoveImage;
  /** Null where billing is not configured. */
  billing: BillingProvider | null;
  /** How emails that came in are fetched and read. */
  inbound: InboundReader;
  render: ClaimedRenderer;
  /** The send rates that hold right now. */
  rates: () => Promise<SendRates>;
  /** The workflows of executions, for their repair. */
  executions: ExecutionWorkflows;
  /** Told how many executions a repair had to remind, or to end in Temporal. */
  repaired: (reminded: number, orphaned: number) => void;
  /** Counts executions that were ended because they would have gone on without an end, for the metrics. */
  countEndless: (kind: 'chain' | 'loop') => void;
  /** Told how many workflows of executions were compared with theirs, and whether that were the oldest. */
  compared: (count: number, isRoundOver: boolean) => void;
  /** How the calls of workflows leave. */
  webhooks: WebhookCaller;
  unknownSeconds: number;
  bodyRetentionDays: number;
  /** Whether projects are disabled when their bounces or complaints are critical. */
  autoDisable: boolean;
  /** Mails the owners of a project that was disabled by itself. */
  tellOwners: TellOwners;
  /** Called after a commit that may have left commands for Temporal or rows for the journal's reader. */
  committed: () => void;
  /** Called after a commit that left commands for Temporal which are due in so many milliseconds. */
  wakeRelay: (inMs: number) => void;
  /** Called after a commit that left rows for the journal's reader only. */
  journaled: () => void;
  /** Told of differences that a recount of campaigns' figures found. */
  miscounted: (differences: number) => void;
  /** Counts what became of a hand-over, for the metrics. */
  countHandOver: (outcome: HandOver['outcome'] | 'suppressed') => void;
  tracing?: Tracing | undefined;
}

const heartbeatMs = 4_000;
const batchHeartbeatMs = 500;
/** Below the grace time of a shutdown. */
const jobSliceMs = 10_000;
/** Of one run of the comparison of executions with their workflows. */
const comparisonMs = 30_000;

/**
 * Runs `work` with a heartbeat of its own, because a provider may take longer to answer than a heartbeat may. What
 * `work` notes goes along with the heartbeat, for the operator to see.
 */
async function withHeartbeat<Result>(
  work: (signal: AbortSignal, note: (progress: unknown) => void) => Promise<Result>,
  everyMs = heartbeatMs,
): Promise<Result> {
  const context = Context.current();
  let noted: unknown;
  const timer = setInterval(() => context.heartbeat(noted), everyMs);
  const note = (progress: unknown) => {
    noted = progress;
    context.heartbeat(progress);
  };
  try {
    return await work(context.cancellationSignal, note);
  } finally {
    clearInterval(timer);
  }
}

type AllActivities = BillingEndActivities &
  CampaignActivities &
  ContactJobActivities &
  ContactSnoozeActivities &
  EmailBatchActivities &
  DomainVerificationActivities &
  EventDeletionActivities &
  InboundEmailActivities &
  ProjectErasureActivities &
  SegmentActivities &
  SweepActivities &
  WebhookActivities &
  WorkflowStepActivities;

/** Every activity that workflows can order, bound to this process's connections. */
export function createActivities(dependencies: ActivityDependencies): AllActivities {
  const { orm, provider, identities, tracing } = dependencies;

  /** Runs an activity in a span that names the workflow which ordered it. */
  function traced<R>(facts: SpanFacts, run: () => Promise<R>, result?: (result: R) => SpanFacts): Promise<R> {
    if (tracing === undefined) return run();
    const { activityType, attempt, workflowExecution } = Context.current().info;
    return tracing.span(
      {
        name: `activity ${activityType}`,
        facts: {
          ...facts,
          'temporal.activity.attempt': attempt,
          'temporal.workflow.id': workflowExecution?.workflowId,
          'temporal.workflow.run_id': workflowExecution?.runId,
        },
        ...(result !== undefined && { result }),
      },
      run,
    );
  }

  const runJobStep = (
    jobId: string,
    step: (context: JobContext, jobId: string) => Promise<ContactJobProgress>,
  ) =>
    traced({ 'posthaste.job.id': jobId }, () =>
      withHeartbeat((signal, note) =>
        step(
          {
            em: orm.em.fork(),
            signal,
            note,
            committed: dependencies.committed,
            attempt: Context.current().info.attempt,
            sliceMs: jobSliceMs,
          },
          jobId,
        ),
      ),
    );

  const dispatchResources = createDispatchResources(orm);

  async function dispatch(emailIds: string[], signal: AbortSignal): Promise<DispatchEmailsResult> {
    const result = await dispatchEmails(
      {
        ...dispatchResources,
        em: orm.em.fork(),
        provider,
        rates: await dependencies.rates(),
        render: dependencies.render,
        unknownSeconds: dependencies.unknownSeconds,
        signal,
        count: dependencies.countHandOver,
      },
      emailIds,
    );
    dependencies.committed();
    return result;
  }

  async function endSnooze(contactId: string): Promise<SnoozeOutcome> {
    const outcome = await endContactSnooze(orm.em.fork(), contactId, new Date());
    if (outcome.outcome === 'resubscribed') dependencies.committed();
    return outcome;
  }

  async function repairStrandedEmails(): Promise<{ requeued: number }> {
    // From ten minutes back: what is younger may be on its way; each email is looked at in several runs.
    const emails = await requeueStrandedEmails(orm.em.fork(), 40 * 60, 10 * 60);
    const requeued = emails + (await requeueStrandedInbound(orm.em.fork()));
    dependencies.committed();
    return { requeued };
  }

  const seconds = batchSeconds(dependencies.unknownSeconds);

  return {
    ...createCampaignActivities({ orm, seconds, committed: dependencies.committed }),
    tendCampaigns: () =>
      traced({}, async () => {
        const result = await tendCampaigns(orm.em.fork());
        if (result.reminded > 0) dependencies.committed();
        return result;
      }),
    recountCampaigns: () =>
      traced({}, async () => {
        const result = await recountCampaigns(orm.em.fork());
        dependencies.miscounted(result.differences);
        return result;
      }),
    dispatchEmails: ({ emailIds }) =>
      traced(
        { 'posthaste.emails': emailIds.length },
        () => withHeartbeat((signal) => dispatch(emailIds, signal)),
        ({ sent, ended, openIds }) => ({
          'posthaste.emails.sent': sent,
          'posthaste.emails.ended': ended,
          'posthaste.emails.open': openIds.length,
        }),
      ),
    importContacts: ({ jobId }) => runJobStep(jobId, importContacts),
    changeContacts: ({ jobId }) => runJobStep(jobId, changeContacts),
    checkDomain: ({ domainId }) =>
      traced({ 'posthaste.domain.id': domainId }, () => checkDomain(orm.em.fork(), identities, domainId)),
    foldContactFigures: () => traced({}, () => foldFigures(orm.em.fork())),
    eraseContacts: () => traced({}, () => eraseDeletedContacts(orm.em.fork(), dependencies.clickhouse)),
    eraseEvents: ({ deletionId }) =>
      traced({ 'posthaste.deletion.id': deletionId }, () =>
        withHeartbeat((signal) =>
          eraseDeletedEvents(orm.em.fork(), dependencies.clickhouse, deletionId, signal),
        ),
      ),
    eraseProject: ({ erasureId }) =>
      traced({ 'posthaste.erasure.id': erasureId }, () =>
        withHeartbeat((signal) =>
          eraseRecordedProject(
            orm.em.fork(),
            dependencies.clickhouse,
            identities,
            dependencies.removeImage,
            erasureId,
            signal,
          ),
        ),
      ),
    endBilling: ({ projectId }) =>
      traced({ 'posthaste.project.id': projectId }, () =>
        endBilling(orm.em.fork(), dependencies.billing, projectId),
      ),
    receiveInboundEmail: ({ inboundId }) =>
      traced({ 'posthaste.inbound.id': inboundId }, () =>
        withHeartbeat(async (signal) => {
          await receiveInboundEmail(orm.em.fork(), dependencies.inbound, inboundId, signal);
          dependencies.committed();
        }),
      ),
    giveUpInboundEmail: ({ inboundId }) =>
      traced({ 'posthaste.inbound.id': inboundId }, async () => {
        await giveUpInboundEmail(orm.em.fork(), inboundId);
        dependencies.committed();
      }),
    closeProjectErasure: ({ erasureId }) => traced({}, () => closeErasure(orm.em.fork(), erasureId)),
    closeEventDeletion: ({ deletionId }) => traced({}, () => closeEventDeletion(orm.em.fork(), deletionId)),
    ...createWorkflowActivities(orm, {
      traced,
      journaled: dependencies.journaled,
      wakeRelay: dependencies.wakeRelay,
      withHeartbeat,
      caller: dependencies.webhooks,
      countEndless: dependencies.countEndless,
    }),
    ...createSegmentActivities(orm, { traced, withHeartbeat, committed: dependencies.committed }),
    judgeSenders: () =>
      traced({}, async () => {
        const result = await judgeSenders(orm.em.fork(), dependencies);
        if (result.disabled > 0) dependencies.committed();
        return result;
      }),
    remindExecutions: () =>
      traced({}, async () => {
        const result = await remindExecutions(orm.em.fork());
        dependencies.repaired(result.reminded, 0);
        if (result.reminded > 0) dependencies.committed();
        return result;
      }),
    endOrphanedExecutions: (input) =>
      traced({}, async () => {
        const result = await endOrphanedExecutions(orm.em.fork(), dependencies.executions, {
          ...input,
          now: new Date(),
          budgetMs: comparisonMs,
        });
        dependencies.repaired(0, result.orphaned);
        dependencies.compared(result.running, result.resumeBefore === 0);
        return result;
      }),
    sweepExpired: () =>
      traced({}, async () => ({
        ...(await deleteExpired(orm.em.fork(), dependencies.bodyRetentionDays)),
        unfinishedUploads: await sweepUploads(orm.em.fork(), dependencies.removeImage),
      })),
    endSnooze: ({ contactId }) => traced({ 'posthaste.contact.id': contactId }, () => endSnooze(contactId)),
    endOverdueSnoozes: () =>
      traced(
        {},
        async () => {
          const result = await endOverdueSnoozes(orm.em.fork(), new Date());
          dependencies.committed();
          return result;
        },
        ({ ended }) => ({ 'posthaste.snoozes.ended': ended }),
      ),
    repairStrandedEmails: () =>
      traced({}, repairStrandedEmails, ({ requeued }) => ({ 'posthaste.emails.requeued': requeued })),
  };
}

/**
 * The one activity of the batches of campaigns, for a worker of its own, so that nothing else waits behind them.
 */
export function createCampaignBatchActivities(send: BatchSender): CampaignBatchActivities {
  return {
    sendBatch: (input) => withHeartbeat((signal) => send(input, signal), batchHeartbeatMs),
  };
}
