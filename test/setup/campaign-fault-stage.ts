import { afterEach, beforeEach } from 'vitest';
import { createAudience } from './campaign-outcome.ts';
import type { TestDatabase } from './database.ts';
import { createProcessStack, type ProcessStack } from './process-stack.ts';
import type { TestProcess } from './processes.ts';
import type { TestSender } from './sender.ts';

/**
 * On a busy machine process starts alone take minutes, and a dead run's claims are checked after a minute.
 */
export const faultTimeout = 1_200_000;

const settings = { UNKNOWN_OUTCOME_SECONDS: '10' };

/**
 * API and worker as separate processes, to be killed in the middle of a campaign; recreated for each test.
 */
export interface CampaignFaultStage {
  readonly stack: ProcessStack;
  readonly sender: TestSender;
  /** @returns the worker */
  startAll(recipients: number, changes?: Record<string, string>): Promise<TestProcess>;
  moveTo(database: TestDatabase): Promise<void>;
}

export function useCampaignFaultStage(): CampaignFaultStage {
  let stack: ProcessStack | undefined;
  let sender: TestSender | undefined;
  beforeEach(async () => {
    stack = await createProcessStack(settings);
  });
  afterEach(() => stack?.close());

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
