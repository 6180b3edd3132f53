import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Orm } from '../../../db/orm.ts';
import type { EmailProvider, HandOver } from '../../../providers/email/email-provider.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import type { DispatchEmailsResult } from '../../contracts/email-batch.ts';
import type { ClaimedRenderer } from '../sending/render-claimed.ts';
import { dispatchEmails } from './dispatch-emails.ts';
import { createDispatchResources } from './dispatch-resources.ts';

export interface EmailDispatcherDependencies {
  orm: Orm;
  provider: Pick<EmailProvider, 'handOver'>;
  render: ClaimedRenderer;
  rates: () => Promise<SendRates>;
  unknownSeconds: number;
  countHandOver: (outcome: HandOver['outcome'] | 'suppressed') => void;
  journaled: () => void;
}

export type EmailDispatcher = ReturnType<typeof createEmailDispatcher>;

/** First tries of this process at once; more emails get a workflow at once, with its slots. */
const mostTries = 20;
/** A round of the relay holds locks and a connection for as long. Providers usually answer within it. */
const defaultPatienceMs = 2_000;
/** How long a try waits for its workflow, which needs milliseconds, to join it. */
const joinMs = 10_000;

/**
 * Dispatches emails for the relay and the workflows of this process. Most emails leave in the relay's first try and need
 * no workflow. That of the others continues the try: its activity takes the result, or waits for it. If the activity
 * runs elsewhere, or again, it meets the claims of the try like those of any other run.
 */
export function createEmailDispatcher(
  dependencies: EmailDispatcherDependencies,
  patienceMs = defaultPatienceMs,
) {
  const { orm, provider, render, unknownSeconds, countHandOver, journaled } = dependencies;
  const shared = createDispatchResources(orm);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const tries = new LRUCache<string, Promise<DispatchEmailsResult | undefined>>({ max: 1_000, ttl: joinMs });
  const keyOf = (emailIds: readonly string[]) => emailIds.toSorted().join();

  async function run(
    emailIds: string[],
    signal: AbortSignal,
    onWait: () => void = () => undefined,
  ): Promise<DispatchEmailsResult> {
    const em = orm.em.fork();
    const rates = await dependencies.rates();
    const own = { em, provider, rates, render, unknownSeconds, signal, onWait };
    const context = { ...shared, ...own, count: countHandOver };
    const result = await dispatchEmails(context, emailIds);
    journaled();
    return result;
  }

  return {
    /** See `FirstTry`. */
    async tryFirst(emailIds: string[]): Promise<string[]> {
      if (stopping.signal.aborted || running.size >= mostTries) return emailIds;
      // What failed is tried again by the activity, which reports it.
      const waiting = Promise.withResolvers<undefined>();
      const onWait = () => waiting.resolve(undefined);
      const tried = run(emailIds, stopping.signal, onWait).catch(() => undefined);
      running.add(tried);
      void tried.finally(() => running.delete(tried));
      tries.set(keyOf(emailIds), tried);
      const result = await orUndefinedAfter(patienceMs, Promise.race([tried, waiting.promise]));
      if (result === undefined) return emailIds;
      tries.delete(keyOf(emailIds));
      const { openIds, retryInMs } = result;
      const left = { openIds, retryInMs, sent: 0, ended: 0 };
      if (openIds.length > 0) tries.set(keyOf(openIds), Promise.resolve(left));
      return openIds;
    },
    async dispatch(emailIds: string[], signal: AbortSignal): Promise<DispatchEmailsResult> {
      const tried = tries.get(keyOf(emailIds));
      tries.delete(keyOf(emailIds));
      return (await tried) ?? run(emailIds, signal);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function orUndefinedAfter<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([work, delay(ms, undefined, patience)]);
  } finally {
    patience.abort();
  }
}
