import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createAudience } from './campaign-outcome.ts';
import type { TestDatabase } from './database.ts';
import { emptyInbox } from './inbox.ts';
import { createProcessStack, type ProcessStack } from './process-stack.ts';
import type { TestSender } from './sender.ts';

/** Process starts alone take minutes on a busy machine, and a dead run's claims are checked after a minute. */
export const faultTimeout = 1_200_000;

/**
 * API and worker as separate processes that tests kill during a campaign. The tests of a file share them, each with a
 * project of its own.
 */
export interface CampaignFaultStage {
  readonly stack: ProcessStack;
  /** Also empties the inbox. */
  createAudience(recipients: number): Promise<TestSender>;
}

export function useCampaignFaultStage(
  changes: Record<string, string>,
  createDatabase?: () => Promise<TestDatabase>,
): CampaignFaultStage {
  let stack: ProcessStack | undefined;
  const current = (): ProcessStack => {
    if (stack === undefined) throw new Error('The stack exists only during tests');
    return stack;
  };
  beforeAll(async () => {
    stack = await createProcessStack({ UNKNOWN_OUTCOME_SECONDS: '10', ...changes }, await createDatabase?.());
    await stack.start();
  });
  beforeEach(async () => {
    await current().control('faults', {});
    await emptyInbox(current().ses);
  });
  afterAll(() => stack?.close());
  return {
    get stack() {
      return current();
    },
    createAudience: (recipients) => createAudience(current(), recipients),
  };
}
