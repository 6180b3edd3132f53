import { Worker } from 'node:worker_threads';
import type { BatchSender } from '../../../activities/campaigns/create-batch-sender.ts';
import type { Config } from '../../../core/config/schema.ts';
import { restoreError, type Warn } from '../../../runtime/logger.ts';
import type { SendBatchResult } from '../../contracts/campaign.ts';
import type { Order, Outcomes, Report, ThreadData } from './messages.ts';

export interface CampaignThreadOptions {
  config: Config;
  warn: Warn;
  /** Called after each commit that left rows for the journal's reader, with what became of the emails since. */
  recorded: (outcomes: Outcomes) => void;
}

export interface CampaignThread {
  send: BatchSender;
  /** Settles when the thread has ended; with an error when nobody asked it to. */
  readonly ended: Promise<void>;
  /** To be called when nothing is under way any more. */
  stop(): Promise<void>;
}

/** Starts the thread that sends the batches of campaigns. Orders wait until it is up. */
export function startCampaignThread({ config, warn, recorded }: CampaignThreadOptions): CampaignThread {
  const workerData: ThreadData = { config };
  const thread = new Worker(new URL('./main.ts', import.meta.url), { workerData, name: 'campaigns' });
  const order = (message: Order) => thread.postMessage(message);
  const waiting = new Map<number, PromiseWithResolvers<SendBatchResult>>();
  let isStopping = false;
  let failure: Error | undefined;
  let lastId = 0;

  thread.on('message', (report: Report) => {
    switch (report.kind) {
      case 'sent':
        return waiting.get(report.id)?.resolve(report.result);
      case 'failed':
        return waiting.get(report.id)?.reject(restoreError(report.error));
      case 'recorded':
        return recorded(report.outcomes);
      case 'warning':
        return warn(report.message, report.error && restoreError(report.error));
    }
  });
  const ended = new Promise<void>((resolve, reject) => {
    const end = (error: Error) => {
      failure ??= error;
      for (const { reject: fail } of waiting.values()) fail(error);
      if (isStopping) resolve();
      else reject(error);
    };
    thread.once('error', end);
    thread.once('exit', (code) => end(new Error(`The thread of the campaigns ended with code ${code}`)));
  });
  ended.catch(() => undefined);

  return {
    ended,
    async send(input, signal) {
      if (failure !== undefined) throw failure;
      lastId += 1;
      const id = lastId;
      const answer = Promise.withResolvers<SendBatchResult>();
      const abort = () => order({ kind: 'abort', id });
      waiting.set(id, answer);
      order({ kind: 'send', id, input });
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort);
      try {
        return await answer.promise;
      } finally {
        signal.removeEventListener('abort', abort);
        waiting.delete(id);
      }
    },
    async stop() {
      isStopping = true;
      order({ kind: 'end' });
      await ended.catch(() => undefined);
    },
  };
}
