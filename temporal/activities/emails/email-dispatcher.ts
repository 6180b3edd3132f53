import { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { Orm } from '../../../db/orm.ts';
import { loadContents } from '../../../db/statements/emails/load-contents.ts';
import type { EmailProvider } from '../../../providers/email/email-provider.ts';
import { orUndefinedAfter } from '../../../runtime/or-undefined-after.ts';
import type { DispatchEmailsResult } from '../../contracts/email-batch.ts';
import { createBeginningRecorder } from '../sending/record-beginnings.ts';
import type { RenderTurns } from '../sending/render-turns.ts';
import type { SenderDependencies } from '../sending/sending-context.ts';
import { createByteBudget } from './byte-budget.ts';
import { dispatchEmails, workMs } from './dispatch-emails.ts';
import type { HandingOver } from './hand-over-claim.ts';
import { createSlotReserver } from './slot-reserver.ts';

export interface EmailDispatcherDependencies extends SenderDependencies {
  provider: HandingOver & Pick<EmailProvider, 'callsAtOnce'>;
  turns: RenderTurns;
  journaled: () => void;
}

export type EmailDispatcher = ReturnType<typeof createEmailDispatcher>;

/** Concurrent first tries of this process; further emails go straight to a workflow, with its slots. */
const mostTries = 20;
/** A round of the relay holds locks and a connection for this long. Providers usually answer within it. */
const defaultPatienceMs = 2_000;
/**
 * When a workflow first looks at emails that a first try still has in hand. Earlier, it would take send slots for the
 * same emails, or find their claims and wait until these are in doubt.
 */
const [whileHandedOverMs, whileWaitingMs] = [10_000, workMs];

/**
 * Dispatches emails for the relay and the workflows of this process. Most emails leave in the relay's first try and
 * need no workflow. Claims keep other runs away from the emails of a first try.
 */
export function createEmailDispatcher(
  dependencies: EmailDispatcherDependencies,
  patienceMs = defaultPatienceMs,
) {
  const { orm, turns, provider, journaled } = dependencies;
  const shared = createDispatchResources(orm, turns, provider.callsAtOnce);
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function run(
    emailIds: string[],
    signal: AbortSignal,
    onWait: () => void = () => undefined,
  ): Promise<DispatchEmailsResult> {
    const own = { em: orm.em.fork(), rates: await dependencies.rates(), signal, onWait };
    const result = await dispatchEmails({ ...shared, ...dependencies, ...own }, emailIds);
    journaled();
    return result;
  }

  return {
    /** See `FirstTry`. */
    async tryFirst(emailIds: string[]): Promise<{ openIds: string[]; retryInMs: number }> {
      if (stopping.signal.aborted || running.size >= mostTries) return { openIds: emailIds, retryInMs: 0 };
      const waiting = Promise.withResolvers<{ openIds: string[]; retryInMs: number }>();
      const onWait = () => waiting.resolve({ openIds: emailIds, retryInMs: whileWaitingMs });
      const tried = run(emailIds, stopping.signal, onWait);
      // The activity reports the error when it tries again.
      const ended = tried.catch(() => ({ openIds: emailIds, retryInMs: 0 }));
      running.add(ended);
      void ended.finally(() => running.delete(ended));
      const result = await orUndefinedAfter(patienceMs, Promise.race([ended, waiting.promise]));
      return result ?? { openIds: emailIds, retryInMs: whileHandedOverMs };
    },
    dispatch: run,
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

export function createDispatchResources(orm: Orm, turns: RenderTurns, callsAtOnce: number) {
  return {
    begin: createBeginningRecorder(orm),
    bytes: createByteBudget(),
    calls: new FairSemaphore(callsAtOnce),
    load: loadContents,
    paced: new Set<string>(),
    reserve: createSlotReserver(),
    turns,
  };
}
