import type { Client } from '@temporalio/client';
import { type Lane, lanes } from '../../db/statements/outbox/lanes.ts';
import { maxEmailsPerBatch } from '../contracts/email-batch.ts';
import { type LaneOptions, OutboxLane } from './outbox-lane.ts';

export type RelayOptions = Omit<LaneOptions, 'lane' | 'commandsARound' | 'eagerClient'>;

export type OutboxRelay = ReturnType<typeof createOutboxRelay>;

const dueMarginMs = 10;

/**
 * Maximum commands per round. All emails of a round share one call. Other commands need one call each, so a round is
 * limited to four calls in sequence: a project whose first command arrives during a round waits for its end.
 */
const commandsARound: Record<Lane, (callsAtATime: number) => number> = {
  emails: () => maxEmailsPerBatch,
  work: (callsAtATime) => 4 * callsAtATime,
};

/**
 * Delivers committed commands to Temporal. Runs in every process: its own commits wake it, and every second it polls
 * for commands left by a crashed process. Emails have their own lane, so that they never wait behind the executions
 * started by an import.
 */
export function createOutboxRelay(options: RelayOptions) {
  let eager: Client | undefined;
  const all = lanes.map(
    (lane) =>
      new OutboxLane({
        ...options,
        ...(lane === 'emails' && { eagerClient: () => eager }),
        lane,
        commandsARound: commandsARound[lane],
      }),
  );
  const planned = new Set<number>();
  let running: Promise<void>[] | undefined;

  function wake(): void {
    for (const lane of all) lane.wake();
  }

  return {
    start() {
      running ??= all.map((lane) => lane.run());
    },
    wake,
    wakeIn(ms: number) {
      const at = Math.ceil((Date.now() + ms + dueMarginMs) / dueMarginMs) * dueMarginMs;
      if (planned.has(at)) return;
      planned.add(at);
      const timer = setTimeout(() => {
        planned.delete(at);
        wake();
      }, at - Date.now());
      timer.unref();
    },
    /** Starts emails through this client from now on, which shares the connection of a running worker; until undefined. */
    startEmailsEagerly(client: Client | undefined) {
      eager = client;
    },
    async stop() {
      for (const lane of all) lane.stop();
      await Promise.all(running ?? []);
    },
  };
}
