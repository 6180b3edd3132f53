import { recipientsPerBatch } from '../../../core/campaign-batches.ts';
import type { Orm } from '../../../db/orm.ts';
import { readNextBatch } from '../../../db/statements/campaigns/read-campaign-batch.ts';
import type { Warn } from '../../../runtime/logger.ts';
import type { BatchSender } from './create-batch-sender.ts';
import { createBeginnings } from './freeze-beginning.ts';
import type { BatchOrder } from './send-batch.ts';
import { createTakeOver } from './take-over.ts';

export type HeadStart = ReturnType<typeof createHeadStart>;

export interface HeadStartDependencies {
  orm: Orm;
  sendBatch: BatchSender;
  isBusy: () => boolean;
  warn: Warn;
}

interface Run {
  isDue: boolean;
  /** How often it was started or found due again. */
  looks: number;
  nextLook: PromiseWithResolvers<void>;
  /** By `performance.now()`; after the freeze no batch begins later, except the first one. */
  until: number;
  sent: number;
  ended: Promise<void>;
}

/** How long Temporal takes to notice that a worker is dead, and to give its batches to another one. */
const takeOverMs = 4_000;

/**
 * Sends the batches of a campaign one after the other before Temporal has started their workflows: during the freeze, so
 * that the first email does not wait for the last recipient, and when a worker has nothing else to send. The workflow of
 * each batch sends what is left of it. Runs outside of the activities, which must stay short: a workflow waits for ten
 * seconds when its worker is killed during one.
 *
 * Call `begin` when a campaign starts: it freezes the first pieces while Temporal starts the workflow, which continues from
 * there. Call `look` after each step of a campaign's freeze, and `takeOver` once: it never rejects.
 */
export function createHeadStart({ orm, sendBatch, isBusy, warn }: HeadStartDependencies) {
  const stopping = new AbortController();
  const runs = new Map<string, Run>();
  const takeOver = createTakeOver({
    orm,
    start: (campaignId) => start(campaignId, performance.now() + takeOverMs),
    isIdle: () => runs.size === 0 && !isBusy(),
    warn,
  });

  const look = (campaignId: string) => start(campaignId, 0);
  const beginnings = createBeginnings({ orm, look, warn });

  /** @returns the number of the batch, undefined when there is nothing to send yet or any more */
  async function sendNext(campaignId: string, last: number, run: Run): Promise<number | undefined> {
    const growth = growthOf(run);
    const batch = await readNextBatch(orm.em.fork(), campaignId, last);
    if (batch === undefined || batch.state === 'over') return;
    if (batch.isFrozen && last > 0 && performance.now() > run.until) return;
    // The freeze adds to it, or has just ended: the campaign's workflow, which may not have started yet, ends the batch.
    const leavesOpen = batch.recipients < recipientsPerBatch;
    const { number, projectId } = batch;
    const order: BatchOrder = { campaignId, projectId, batch: number, read: batch, leavesOpen };
    if (leavesOpen) order.growth = growth;
    const { sent, retryInMs } = await sendBatch(order, stopping.signal);
    run.sent += sent;
    // The next look sends the rest. What the provider, the rate or the project holds up holds up the next batches too.
    return leavesOpen || retryInMs > 0 ? undefined : number;
  }

  async function sendWhileDue(campaignId: string, run: Run): Promise<void> {
    try {
      while (run.isDue) {
        run.isDue = false;
        for (let last: number | undefined = 0; last !== undefined && !stopping.signal.aborted; ) {
          last = await sendNext(campaignId, last, run);
        }
      }
    } catch (error) {
      warn('The head start of a campaign failed; its workflow goes on', error);
    } finally {
      runs.delete(campaignId);
      takeOver.note(campaignId, run.sent);
    }
  }

  function start(campaignId: string, until: number): void {
    if (stopping.signal.aborted) return;
    const known = runs.get(campaignId);
    if (known === undefined) {
      const run = createRun(until);
      runs.set(campaignId, run);
      run.ended = sendWhileDue(campaignId, run);
    } else lookAgain(known);
  }

  return {
    begin: beginnings.begin,
    look,
    takeOver: takeOver.begin,
    isSending: () => runs.size > 0 || beginnings.isUnderWay(),
    async stop() {
      stopping.abort();
      await Promise.all([beginnings.stop(), takeOver.stop()]);
      await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}

function createRun(until: number): Run {
  const nextLook = Promise.withResolvers<void>();
  return { isDue: true, looks: 1, nextLook, until, sent: 0, ended: Promise.resolve() };
}

function lookAgain(run: Run): void {
  run.isDue = true;
  run.looks += 1;
  run.nextLook.resolve();
  run.nextLook = Promise.withResolvers();
}

/** @returns what resolves as soon as the campaign is looked at after the last call */
function growthOf(run: Run): () => Promise<void> {
  let seen = run.looks;
  return async () => {
    while (run.looks === seen) await run.nextLook.promise;
    seen = run.looks;
  };
}
