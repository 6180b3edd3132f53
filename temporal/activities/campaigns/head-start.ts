import {
  contactsInFirstPiece,
  contactsInNextPiece,
  recipientsPerBatch,
} from '../../../core/campaign-batches.ts';
import type { Orm } from '../../../db/orm.ts';
import { beginFreeze, freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import { readNextBatch } from '../../../db/statements/campaigns/read-campaign-batch.ts';
import type { Warn } from '../../../runtime/logger.ts';
import type { BatchSender } from './create-batch-sender.ts';
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
  /** Number of looks at the campaign so far. */
  looks: number;
  nextLook: PromiseWithResolvers<void>;
  /** By `performance.now()`. Once the freeze is complete, no batch but the first begins after this. */
  until: number;
  sent: number;
  ended: Promise<void>;
}

/** How long Temporal takes to notice that a worker has died and to give its batches to another one. */
const takeOverMs = 4_000;

/**
 * Sends the batches of a campaign one after the other before Temporal has started their workflows: during the freeze,
 * so that the first email does not wait for the last recipient, and when a worker is idle. The workflow of each batch
 * sends whatever is left. Runs outside of activities, which must stay short: a workflow waits for ten seconds when its
 * worker is killed during one.
 *
 * Call `begin` when a campaign starts: it freezes the first pieces while Temporal starts the workflow, which continues
 * from there. Call `look` after each piece of a campaign's freeze, and `takeOver` once: it never rejects.
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
  const firstPieces = createFirstPieces({ orm, look, warn });

  /** @returns the number of the batch; undefined when nothing can be sent now */
  async function sendNext(campaignId: string, last: number, run: Run): Promise<number | undefined> {
    const growth = growthOf(run);
    const batch = await readNextBatch(orm.em.fork(), campaignId, last);
    if (batch === undefined || batch.state === 'over') return;
    if (batch.isFrozen && last > 0 && performance.now() > run.until) return;
    // The freeze is still adding to this batch, or has just ended. The campaign's workflow, which may not have started
    // yet, will end the batch.
    const leavesOpen = batch.recipients < recipientsPerBatch;
    const { number, projectId } = batch;
    const order: BatchOrder = { campaignId, projectId, batch: number, read: batch, leavesOpen };
    if (leavesOpen) order.growth = growth;
    const { sent, retryInMs } = await sendBatch(order, stopping.signal);
    run.sent += sent;
    // The next look sends the rest. A delay by the provider, the rate or the project also delays the next batches.
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
      warn('The head start of a campaign failed; its workflow continues', error);
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
    begin: firstPieces.begin,
    look,
    takeOver: takeOver.begin,
    isSending: () => runs.size > 0 || firstPieces.isUnderWay(),
    async stop() {
      stopping.abort();
      await Promise.all([firstPieces.stop(), takeOver.stop()]);
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

/** @returns a function whose promise resolves at the next look that it has not reported yet */
function growthOf(run: Run): () => Promise<void> {
  let seen = run.looks;
  return async () => {
    while (run.looks === seen) await run.nextLook.promise;
    seen = run.looks;
  };
}

export interface FirstPiecesDependencies {
  orm: Orm;
  /** Called after each piece. */
  look: (campaignId: string) => void;
  warn: Warn;
}

/** Further campaigns wait for their workflows. */
const campaignsAtOnce = 4;

/** Freezes the first two pieces of starting campaigns. Never rejects. */
export function createFirstPieces({ orm, look, warn }: FirstPiecesDependencies) {
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  async function freezeFirst(campaignId: string): Promise<void> {
    try {
      const startedAt = performance.now();
      if (!(await beginFreeze(orm.em.fork(), campaignId, contactsInFirstPiece))) return;
      const contacts = contactsInNextPiece(contactsInFirstPiece, performance.now() - startedAt);
      look(campaignId);
      if (isStopped) return;
      await freezeAudience(orm.em.fork(), campaignId, contacts);
      look(campaignId);
    } catch (error) {
      warn('Could not begin a campaign; its workflow will', error);
    }
  }

  return {
    begin(campaignId: string): void {
      if (isStopped || underWay.size >= campaignsAtOnce) return;
      const beginning = freezeFirst(campaignId).finally(() => underWay.delete(beginning));
      underWay.add(beginning);
    },
    isUnderWay: () => underWay.size > 0,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
}
