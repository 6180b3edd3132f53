import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { indexAddresses, mergePendingAddresses } from '../../../db/address-index.ts';
import { keepPartitions } from '../../../db/keep-partitions.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import { foldCampaignFigures } from '../../../db/statements/campaigns/fold-campaign-figures.ts';
import { findRecentCampaigns, recountCampaign } from '../../../db/statements/campaigns/recount-campaign.ts';
import { remindCampaigns } from '../../../db/statements/campaigns/remind-campaigns.ts';
import { requeueStrandedInbound } from '../../../db/statements/inbound/requeue-stranded-inbound.ts';
import { requeueStrandedEmails } from '../../../db/statements/sweeps/requeue-stranded-emails.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';
import type { ExpiryActivities, SweepActivities, SweepName } from '../../contracts/sweeps.ts';
import type { AfterCommit } from '../after-commit.ts';
import { endOverdueSnoozes } from '../contacts/end-snooze.ts';
import { eraseDeletedContacts } from '../contacts/erase-contacts.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { createExpiryActivities, type ExpiryActivityDependencies } from './create-expiry-activities.ts';
import { foldFigures } from './fold-contact-figures.ts';
import type { NotifyOwners } from './notify-owners.ts';
import { type ExecutionWorkflows, endOrphanedExecutions, signalLateExecutions } from './repair-executions.ts';
import { suspendSenders } from './suspend-senders.ts';

type SweepMetrics =
  | 'countMiscounts'
  | 'countRepairs'
  | 'countComparisons'
  | 'countResults'
  | 'countSuspensions'
  | 'noteSweep';

export interface SweepActivityDependencies extends AfterCommit, ExpiryActivityDependencies {
  orm: Orm;
  clickhouse: ClickHouse;
  executions: ExecutionWorkflows;
  metrics: Pick<ProductMetrics, SweepMetrics>;
  /** 0 keeps them forever. */
  eventRetentionMonths: number;
  autoDisable: boolean;
  notifyOwners: NotifyOwners;
}

/** Younger emails may be in flight; the window is wide enough for several runs to check each email. */
const [strandedFromSeconds, strandedToSeconds] = [40 * 60, 10 * 60];
const comparisonMs = 30_000;

export function createSweepActivities(
  dependencies: SweepActivityDependencies,
): SweepActivities & ExpiryActivities {
  const { orm, clickhouse, metrics } = dependencies;
  const noted = async <Result>(sweep: SweepName, work: Promise<Result>): Promise<Result> => {
    const result = await work;
    metrics.noteSweep(sweep);
    return result;
  };
  const figures = createFigureSweeps(dependencies);
  const repairs = createRepairs(dependencies);
  return {
    ...createExpiryActivities(dependencies),
    tendCampaigns: () => noted('campaigns', figures.tendCampaigns()),
    recountCampaigns: () => noted('campaign-recount', figures.recountCampaigns()),
    foldContactFigures: () => noted('contact-figures', figures.foldContactFigures()),
    judgeSenders: () => noted('project-security', figures.judgeSenders()),
    eraseContacts: () =>
      noted(
        'contact-erasures',
        withHeartbeat((signal) => eraseDeletedContacts(orm.em.fork(), clickhouse, signal)),
      ),
    keepPartitions: () =>
      noted(
        'partitions',
        withHeartbeat(async () => {
          const kept = await keepPartitions(orm.em.fork(), new Date(), dependencies.eventRetentionMonths);
          // Last: the index of a large table waits for every older transaction, and rows need their partitions in time.
          await indexAddresses(orm);
          return kept;
        }),
      ),
    repairStrandedEmails: () => noted('stranded-emails', repairs.repairStrandedEmails()),
    endOverdueSnoozes: () => noted('overdue-snoozes', repairs.endOverdueSnoozes()),
    remindExecutions: () => noted('executions', repairs.remindExecutions()),
    endOrphanedExecutions: (input) => noted('orphaned-executions', repairs.endOrphanedExecutions(input)),
  };
}

type FigureSweeps = 'tendCampaigns' | 'recountCampaigns' | 'foldContactFigures' | 'judgeSenders';

function createFigureSweeps({
  orm,
  metrics,
  autoDisable,
  notifyOwners,
  committed,
}: SweepActivityDependencies): Pick<SweepActivities, FigureSweeps> {
  return {
    async tendCampaigns() {
      const result = await maintainCampaigns(orm.em.fork());
      if (result.reminded > 0) committed();
      return result;
    },
    async recountCampaigns() {
      const result = await recountCampaigns(orm.em.fork());
      metrics.countMiscounts(result.differences);
      return result;
    },
    async foldContactFigures() {
      const result = await foldFigures(orm.em.fork());
      await mergePendingAddresses(orm.em.fork());
      return result;
    },
    async judgeSenders() {
      const result = await suspendSenders(orm.em.fork(), {
        autoDisable,
        notifyOwners,
        counted: metrics.countResults,
      });
      metrics.countSuspensions(result.disabled);
      if (result.disabled > 0) committed();
      return result;
    },
  };
}

type Repairs = 'repairStrandedEmails' | 'endOverdueSnoozes' | 'remindExecutions' | 'endOrphanedExecutions';

function createRepairs({
  orm,
  executions,
  metrics,
  committed,
}: SweepActivityDependencies): Pick<SweepActivities, Repairs> {
  return {
    async repairStrandedEmails() {
      const emails = await requeueStrandedEmails(orm.em.fork(), strandedFromSeconds, strandedToSeconds);
      const requeued = emails + (await requeueStrandedInbound(orm.em.fork()));
      committed();
      return { requeued };
    },
    async endOverdueSnoozes() {
      const result = await endOverdueSnoozes(orm.em.fork(), new Date());
      committed();
      return result;
    },
    async remindExecutions() {
      const result = await signalLateExecutions(orm.em.fork());
      metrics.countRepairs(result.reminded, 0);
      if (result.reminded > 0) committed();
      return result;
    },
    async endOrphanedExecutions(input) {
      const options = { ...input, now: new Date(), budgetMs: comparisonMs };
      const result = await endOrphanedExecutions(orm.em.fork(), executions, options);
      metrics.countRepairs(0, result.orphaned);
      metrics.countComparisons(result.running, result.resumeBefore === 0);
      return result;
    },
  };
}

export async function maintainCampaigns(em: Em): Promise<{ folded: number; reminded: number }> {
  return { folded: await foldCampaignFigures(em), reminded: await remindCampaigns(em) };
}

export async function recountCampaigns(em: Em): Promise<{ campaigns: number; differences: number }> {
  const campaigns = await findRecentCampaigns(em);
  let differences = 0;
  for (const id of campaigns) differences += await recountCampaign(em, id);
  return { campaigns: campaigns.length, differences };
}
