import type { Client } from '@temporalio/client';
import type { Orm } from '../../db/orm.ts';
import { type Lane, lanes } from '../../db/repositories/outbox/outbox.ts';
import { maxEmailsPerBatch } from '../contracts/email-batch.ts';
import { createRelayLane, type RelayRound } from './relay-lane.ts';

export interface RelayOptions {
  orm: Orm;
  client: Client;
  taskQueue: string;
  /** Told of each failure; `error` is the cause. */
  warn: (message: string, error: unknown) => void;
  /** Runs the part of a round that sends something, which is left out when nothing is due. */
  around?: ((round: RelayRound, send: () => Promise<void>) => Promise<void>) | undefined;
}

export interface Relay {
  /** Begins to send; the tables have to exist. Once per relay. */
  start(): void;
  /** Says that a command was committed; it is sent at once, together with what else waits. */
  wake(): void;
  /** As `wake`, for a command that is due in so many milliseconds. */
  wakeIn(ms: number): void;
  /** Ends after the rounds that are running; a relay that was not started yet never starts. */
  stop(): Promise<void>;
}

/** What a command is due at is known to within that. */
const dueMarginMs = 10;

/**
 * Most commands of one round, by the calls that are open at a time. All emails of a round share one call. Other commands
 * have one each: a round of them lasts for four calls, because a project whose first command comes meanwhile waits for
 * its end.
 */
const commandsARound: Record<Lane, (callsAtATime: number) => number> = {
  emails: () => maxEmailsPerBatch,
  work: (callsAtATime) => 4 * callsAtATime,
};

/**
 * Sends committed commands to Temporal, once it is started. One runs in every process: it is woken by the process's
 * own commits, and looks every second for what a crash elsewhere left. Emails have a lane of their own, so that none
 * waits behind the executions that an import starts.
 */
export function createRelay(options: RelayOptions): Relay {
  const all = lanes.map((lane) =>
    createRelayLane({ ...options, lane, commandsARound: commandsARound[lane] }),
  );
  /** Times at which a wake is planned, by the process's clock. */
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
    wakeIn(ms) {
      // Commands that are due together are told of one by one.
      const at = Math.ceil((Date.now() + ms + dueMarginMs) / dueMarginMs) * dueMarginMs;
      if (planned.has(at)) return;
      planned.add(at);
      const timer = setTimeout(() => {
        planned.delete(at);
        wake();
      }, at - Date.now());
      timer.unref();
    },
    async stop() {
      for (const lane of all) lane.stop();
      await Promise.all(running ?? []);
    },
  };
}
