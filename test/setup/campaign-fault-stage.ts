import { afterEach, beforeEach } from 'vitest';
import { createAudience } from './campaign-outcome.ts';
import type { TestDatabase } from './database.ts';
import { createProcessStack, type ProcessStack } from './process-stack.ts';
import type { TestProcess } from './processes.ts';
import type { TestSender } from './sender.ts';

/** Starts of processes alone take minutes on a busy machine, and a dead run's claims are looked at after a minute. */
export const faultTimeout = 1_200_000;

const settings = { UNKNOWN_OUTCOME_SECONDS: '10' };

/** API and worker as processes of their own, to be broken in the middle of a campaign; anew for each test. */
export interface CampaignFaultStage {
  readonly stack: ProcessStack;
  /** Whose campaign it is; there after `startAll`. */
  readonly sender: TestSender;
  /**
   * Starts an API and a worker, and makes a project with so many recipients.
   * @returns the worker
   */
  startAll(recipients: number, changes?: Record<string, string>): Promise<TestProcess>;
  /** Moves to a database of the test's own, before anything is started. */
  moveTo(database: TestDatabase): Promise<void>;
}

/** Registers the hooks of the file. */
export function useCampaignFaultStage(): CampaignFaultStage {
  let stack: ProcessStack | undefined;
  let sender: TestSender | undefined;
  beforeEach(async () => {
    stack = await createProcessStack(settings);
  }, 60_000);
  afterEach(() => stack?.close(), 60_000);

  const current = (): ProcessStack => {
    if (stack === undefined) throw new Error('There is a stack during tests only');
    return stack;
  };
  return {
    get stack() {
      return current();
    },
    get sender() {
      if (sender === undefined) throw new Error('There is a sender after startAll only');
      return sender;
    },
    async startAll(recipients, changes = {}) {
      Object.assign(current().environment, changes);
      const [, worker] = await Promise.all([current().startApi(), current().startWorker()]);
      sender = await createAudience(current(), recipients);
      return worker;
    },
    async moveTo(database) {
      await current().close();
      stack = await createProcessStack(settings, database);
    },
  };
}
