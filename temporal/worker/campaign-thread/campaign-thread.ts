import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Config } from '../../../core/config/schema.ts';
import { restoreError, type Warn, warnTo } from '../../../runtime/logger.ts';
import type { Shutdown } from '../../../runtime/shutdown.ts';
import type { BatchSender } from '../../activities/campaigns/create-batch-sender.ts';
import type { HeadStart } from '../../activities/campaigns/head-start.ts';
import type { SendBatchResult } from '../../contracts/campaign.ts';
import type { Order, Outcomes, Report, ThreadData } from './messages.ts';

/**
 * Call first: the thread loads its code while the rest of the process loads. After `takeOver()` it sends what a killed
 * worker left behind.
 */
export function openCampaignThread(config: Config, log: Logger, shutdown: Shutdown): CampaignThread {
  const thread = new CampaignThread(config, warnTo(log));
  shutdown.add('campaign thread', () => thread.stop());
  return thread;
}

/** Runs `thread-main.ts` in a worker thread. Orders are queued until it is up. */
export class CampaignThread implements Pick<HeadStart, 'begin' | 'look'> {
  /** Settles when the thread has loaded and warmed up its code, or has ended; never rejects. */
  readonly up: Promise<void>;
  /** Settles when the thread has ended; rejects unless it was stopped. */
  readonly ended: Promise<void>;
  readonly #isUp = Promise.withResolvers<void>();
  readonly #warn: Warn;
  readonly #thread: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<SendBatchResult>>();
  #isStopping = false;
  #failure: Error | undefined;
  #lastId = 0;
  #early: Outcomes[] = [];
  #recorded = (outcomes: Outcomes): unknown => this.#early.push(outcomes);

  constructor(config: Config, warn: Warn) {
    const workerData: ThreadData = { config };
    this.#warn = warn;
    this.#thread = new Worker(new URL('./thread-main.ts', import.meta.url), {
      workerData,
      name: 'campaigns',
    });
    this.#thread.on('message', (report: Report) => this.#receive(report));
    this.ended = new Promise<void>((resolve, reject) => {
      const end = (error: Error) => {
        this.#fail(error);
        if (this.#isStopping) resolve();
        else reject(error);
      };
      this.#thread.once('error', end);
      this.#thread.once('exit', (code) => end(new Error(`The campaign thread ended with code ${code}`)));
    });
    this.ended.catch(() => undefined);
    this.up = Promise.race([this.#isUp.promise, this.ended.catch(() => undefined)]);
  }

  readonly send: BatchSender = async (input, signal) => {
    if (this.#failure !== undefined) throw this.#failure;
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = Promise.withResolvers<SendBatchResult>();
    const abort = () => this.#order({ kind: 'abort', id });
    this.#pending.set(id, answer);
    this.#order({ kind: 'send', id, input });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    try {
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#pending.delete(id);
    }
  };

  begin(campaignId: string): void {
    this.#order({ kind: 'begin', campaignId });
  }

  look(campaignId: string): void {
    this.#order({ kind: 'look', campaignId });
  }

  /** See `HeadStart`. Call when the database is ready. */
  takeOver(): void {
    this.#order({ kind: 'take over' });
  }

  /** Lowers the thread's priority on Linux. Call when the process has loaded: until then, no other work is urgent. */
  lowerPriority(): void {
    this.#order({ kind: 'lower priority' });
  }

  /** Stops the running head start; no new one begins. */
  endHeadStart(): void {
    this.#order({ kind: 'end head start' });
  }

  /** `recorded` is called after each commit that wrote journal rows, with the outcomes since the last call. */
  reportTo(recorded: (outcomes: Outcomes) => void): void {
    this.#recorded = recorded;
    for (const outcomes of this.#early.splice(0)) recorded(outcomes);
  }

  /** Requires that no batch is running except those of the head start. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#order({ kind: 'end' });
    await this.ended.catch(() => undefined);
  }

  #order(message: Order): void {
    this.#thread.postMessage(message);
  }

  #receive(report: Report): void {
    switch (report.kind) {
      case 'up':
        this.#isUp.resolve();
        break;
      case 'sent':
        this.#pending.get(report.id)?.resolve(report.result);
        break;
      case 'failed':
        this.#pending.get(report.id)?.reject(restoreError(report.error));
        break;
      case 'recorded':
        this.#recorded(report.outcomes);
        break;
      case 'warning':
        this.#warn(report.message, report.error && restoreError(report.error));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
  }
}
