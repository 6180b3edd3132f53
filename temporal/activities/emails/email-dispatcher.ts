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

const mostBegun = 20;
/** How long a try waits for its workflow, which needs milliseconds, to join it. */
const joinMs = 10_000;

/**
 * Dispatches emails for the workflows of this process. `begin` gives a batch a head start: its first try runs while
 * Temporal still records the start of its workflow, and the workflow's activity joins it. If the activity runs
 * elsewhere, or again, it meets the claims of the head start like those of any other run.
 */
export function createEmailDispatcher(dependencies: EmailDispatcherDependencies) {
  const { orm, provider, render, unknownSeconds, countHandOver, journaled } = dependencies;
  const shared = createDispatchResources(orm);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const begun = new LRUCache<string, Promise<DispatchEmailsResult | undefined>>({ max: 1_000, ttl: joinMs });
  const keyOf = (emailIds: readonly string[]) => emailIds.join();

  async function run(emailIds: string[], signal: AbortSignal): Promise<DispatchEmailsResult> {
    const em = orm.em.fork();
    const rates = await dependencies.rates();
    const context = { ...shared, em, provider, rates, render, unknownSeconds, signal, count: countHandOver };
    const result = await dispatchEmails(context, emailIds);
    journaled();
    return result;
  }

  return {
    begin(emailIds: string[]): void {
      if (stopping.signal.aborted || running.size >= mostBegun) return;
      // What failed is tried again by the activity, which reports it.
      const tried = run(emailIds, stopping.signal).catch(() => undefined);
      begun.set(keyOf(emailIds), tried);
      running.add(tried);
      void tried.finally(() => running.delete(tried));
    },
    async dispatch(emailIds: string[], signal: AbortSignal): Promise<DispatchEmailsResult> {
      const tried = begun.get(keyOf(emailIds));
      begun.delete(keyOf(emailIds));
      return (await tried) ?? run(emailIds, signal);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
