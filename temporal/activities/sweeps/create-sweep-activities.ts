import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import { indexAddresses, mergePendingAddresses } from '../../../db/address-index.ts';
import { keepPartitions } from '../../../db/keep-partitions.ts';
import { readClock } from '../../../db/read-clock.ts';
import { foldCampaignFigures } from '../../../db/statements/campaigns/campaign-figures.ts';
import {
  remindCampaigns,
  remindCancelledCampaigns,
  requeueStrandedEmails,
  requeueStrandedInbound,
  signalLateExecutions,
} from '../../../db/statements/sweeps/requeue-commands.ts';
import type { ProductMetrics } from '../../../runtime/product-metrics.ts';
import type {
  ExpiryActivities,
  OrphanedExecutionsInput,
  SweepActivities,
  SweepName,
} from '../../contracts/sweeps.ts';
import { endOverdueSnoozes } from '../contacts/end-snooze.ts';
import { eraseDeletedContacts } from '../contacts/erase-contacts.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import type { WriterDependencies } from '../writer-dependencies.ts';
import { createExpiryActivities, type ExpiryActivityDependencies } from './create-expiry-activities.ts';
import { foldFigures } from './fold-contact-figures.ts';
import type { NotifyOwners } from './notify-owners.ts';
import { recountCampaigns } from './recount-campaigns.ts';
import { type ExecutionWorkflows, endOrphanedExecutions, lateSeconds } from './repair-executions.ts';
import { suspendSenders } from './suspend-senders.ts';

export interface SweepActivityDependencies extends WriterDependencies, ExpiryActivityDependencies {
  clickhouse: ClickHouse;
  executions: ExecutionWorkflows;
  metrics: ProductMetrics;
  /** 0 keeps events forever. */
  eventRetentionMonths: number;
  autoDisable: boolean;
  notifyOwners: NotifyOwners;
}

/** Younger emails may be in flight; the window is wide enough for several runs to check each email. */
const [strandedFromSeconds, strandedToSeconds] = [40 * 60, 10 * 60];
const comparisonMs = 30_000;

/** For work that ends a round of a sweep. */
const notedIn =
  (metrics: Pick<ProductMetrics, 'expectSweep' | 'noteSweep'>) =>
  <Input extends unknown[], Result>(sweep: SweepName, work: (...input: Input) => Promise<Result>) => {
    metrics.expectSweep(sweep);
    return async (...input: Input): Promise<Result> => {
      const result = await work(...input);
      metrics.noteSweep(sweep);
      return result;
    };
  };

export function createSweepActivities(
  dependencies: SweepActivityDependencies,
): SweepActivities & ExpiryActivities {
  const { orm, clickhouse, executions, metrics, autoDisable, notifyOwners, committed } = dependencies;
  const noted = notedIn(metrics);
  const failedErasures = new Set<string>();
  return {
    ...createExpiryActivities(dependencies),
    tendCampaigns: noted('campaigns', async () => {
      const folded = await foldCampaignFigures(orm.em.fork());
      const reminded = await remindCampaigns(orm.em.fork());
      if (reminded > 0) committed();
      return { folded, reminded };
    }),
    recountCampaigns: noted('campaign-recount', async () => {
      if ((await remindCancelledCampaigns(orm.em.fork())) > 0) committed();
      return recountCampaigns(orm.em.fork(), metrics.countMiscounts);
    }),
    foldContactFigures: noted('contact-figures', async () => {
      const result = await foldFigures(orm.em.fork());
      await mergePendingAddresses(orm.em.fork());
      return result;
    }),
    judgeSenders: noted('project-security', async () => {
      const options = { autoDisable, notifyOwners, counted: metrics.countResults };
      const result = await suspendSenders(orm.em.fork(), options);
      metrics.countSuspensions(result.disabled);
      if (result.disabled > 0) committed();
      return result;
    }),
    eraseContacts: noted('contact-erasures', () =>
      withHeartbeat((signal) => eraseDeletedContacts(orm.em.fork(), clickhouse, signal, failedErasures)),
    ),
    keepPartitions: noted('partitions', () =>
      withHeartbeat(async () => {
        const now = await readClock(orm.em.fork());
        const kept = await keepPartitions(orm.em.fork(), now, dependencies.eventRetentionMonths);
        // Last: the index build on a large table waits for every older transaction, and rows need their partitions in
        // time.
        await indexAddresses(orm);
        return kept;
      }),
    ),
    repairStrandedEmails: noted('stranded-emails', async () => {
      const emails = await requeueStrandedEmails(orm.em.fork(), strandedFromSeconds, strandedToSeconds);
      const requeued = emails + (await requeueStrandedInbound(orm.em.fork()));
      committed();
      return { requeued };
    }),
    endOverdueSnoozes: noted('overdue-snoozes', async () => {
      const result = await endOverdueSnoozes(orm.em.fork(), new Date());
      committed();
      return result;
    }),
    remindExecutions: noted('executions', async () => {
      const reminded = await signalLateExecutions(orm.em.fork(), lateSeconds);
      metrics.countRepairs(reminded, 0);
      if (reminded > 0) committed();
      return { reminded };
    }),
    endOrphanedExecutions: noted('orphaned-executions', async (input: OrphanedExecutionsInput) => {
      const options = { ...input, now: new Date(), budgetMs: comparisonMs };
      const result = await endOrphanedExecutions(orm.em.fork(), executions, options);
      metrics.countRepairs(result.missed, result.orphaned);
      metrics.countComparisons(result.running, result.resumeBefore === 0);
      return result;
    }),
  };
}
