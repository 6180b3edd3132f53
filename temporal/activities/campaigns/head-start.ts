import { recipientsPerBatch } from '../../../core/campaign-batches.ts';
import { Campaign, CampaignBatch } from '../../../db/entities/campaign.ts';
import type { Orm } from '../../../db/orm.ts';
import type { Warn } from '../../../runtime/logger.ts';
import type { BatchSender } from './create-batch-sender.ts';

export type HeadStart = ReturnType<typeof createHeadStart>;

export interface HeadStartDependencies {
  orm: Orm;
  sendBatch: BatchSender;
  warn: Warn;
}

interface Run {
  isDue: boolean;
  /** Epoch milliseconds; after the freeze no batch begins later, except the first one. */
  until: number;
  ended: Promise<void>;
}

/** Temporal takes as long to notice that a worker is dead, and to give its batches to another one. */
const takeOverMs = 4_000;
/** As many as a process works on at a time. */
const campaignsToTakeOver = 4;

/**
 * Sends the batches of a campaign one after the other before Temporal has started their workflows: while the freeze goes
 * on, so that the first email does not wait for the last recipient, and when a worker starts. Only a start: the workflow
 * of each batch sends what is left of it. Runs beside the activities, which must stay short: a workflow waits for ten
 * seconds when its worker is killed in one of these.
 */
export function createHeadStart({ orm, sendBatch, warn }: HeadStartDependencies) {
  const stopping = new AbortController();
  const runs = new Map<string, Run>();

  /** @returns the number of the batch, undefined when there is nothing to send yet or any more */
  async function sendNext(campaignId: string, last: number, until: number): Promise<number | undefined> {
    const em = orm.em.fork();
    const campaign = await em.findOne(Campaign, campaignId, { fields: ['projectId', 'status', 'frozenAt'] });
    if (campaign?.status !== 'SENDING') return;
    const isFrozen = campaign.frozenAt !== null;
    if (isFrozen && last > 0 && Date.now() > until) return;
    const [batch] = await em.getRepository(CampaignBatch).findOpen(campaignId, last, 1);
    if (batch === undefined) return;
    const { number, recipients } = batch;
    const leavesOpen = !isFrozen && recipients < recipientsPerBatch;
    await sendBatch(
      { campaignId, projectId: campaign.projectId, batch: number, leavesOpen },
      stopping.signal,
    );
    // The freeze adds to it: the next look sends the rest.
    return leavesOpen ? undefined : number;
  }

  async function sendWhileDue(campaignId: string, run: Run): Promise<void> {
    try {
      while (run.isDue) {
        run.isDue = false;
        for (let last: number | undefined = 0; last !== undefined && !stopping.signal.aborted; ) {
          last = await sendNext(campaignId, last, run.until);
        }
      }
    } catch (error) {
      warn('The head start of a campaign failed; its workflow goes on', error);
    } finally {
      runs.delete(campaignId);
    }
  }

  function start(campaignId: string, until: number): void {
    if (stopping.signal.aborted) return;
    const known = runs.get(campaignId);
    if (known !== undefined) {
      known.isDue = true;
      return;
    }
    const run: Run = { isDue: true, until, ended: Promise.resolve() };
    runs.set(campaignId, run);
    run.ended = sendWhileDue(campaignId, run);
  }

  return {
    /** Call after each step of a campaign's freeze. */
    look: (campaignId: string) => start(campaignId, 0),
    /** Sends what workers left behind that were killed. Call when this one starts. Never rejects. */
    async takeOver() {
      try {
        const sending = await orm.em
          .fork()
          .find(
            Campaign,
            { status: 'SENDING' },
            { fields: ['id'], orderBy: { startedAt: 'desc' }, limit: campaignsToTakeOver },
          );
        for (const { id } of sending) start(id, Date.now() + takeOverMs);
      } catch (error) {
        warn('Could not look for campaigns to take over; Temporal will', error);
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}
