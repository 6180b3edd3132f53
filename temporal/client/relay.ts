import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import type { Orm } from '../../db/orm.ts';
import { deleteCommands, lockDueCommands, postponeCommands } from '../../db/repositories/outbox.ts';
import { maxEmailsPerBatch } from '../contracts/email-batch.ts';
import { groupCommands } from './send-commands.ts';

export interface RelayOptions {
  orm: Orm;
  client: Client;
  taskQueue: string;
  /** Told of each failure; `error` is the cause. */
  warn: (message: string, error: unknown) => void;
}

export interface Relay {
  /** Says that a command was committed; it is sent at once, together with what else waits. */
  wake(): void;
  /** Ends after the round that is running. */
  stop(): Promise<void>;
}

const pollIntervalMs = 1_000;
const callTimeoutMs = 10_000;
const maxAttempts = 12;

/** gRPC codes of a server that is away or busy: no fault of the command. */
const transientCodes = new Set([1, 4, 8, 14]); // cancelled, deadline exceeded, resource exhausted, unavailable

function isTransient(error: unknown): boolean {
  return isGrpcServiceError(error) ? transientCodes.has(error.code) : !(error instanceof TypeError);
}

/**
 * Sends committed commands to Temporal. One runs in every process: it is woken by the process's own commits, and
 * looks every second for what a crash elsewhere left. While one round runs, commands gather, so under load each
 * start call carries many emails. A round is one transaction: if the process dies, its commands are sent again,
 * which their ids make harmless.
 */
export function startRelay(options: RelayOptions): Relay {
  let stopped = false;
  let woken = false;
  /** While Temporal is away, commits do not shorten the pause: they would hammer a server that is down. */
  let deaf = false;
  let wakeUp: () => void = () => undefined;

  async function round(): Promise<number> {
    return options.orm.em.fork().transactional(async (em) => {
      const due = await lockDueCommands(em, maxEmailsPerBatch);
      for (const group of groupCommands(due)) {
        const ids = group.commands.map((command) => command.id);
        try {
          await options.client.withDeadline(Date.now() + callTimeoutMs, () =>
            group.send(options.client, options.taskQueue),
          );
          await deleteCommands(em, ids);
        } catch (error) {
          if (isTransient(error)) throw error;
          options.warn('Temporal refused a command; it is put off', error);
          await postponeCommands(em, ids, String(error), maxAttempts);
        }
      }
      return due.length;
    });
  }

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
      if (woken || stopped) wakeUp();
    });
    wakeUp = () => undefined;
  }

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopped) {
      woken = false;
      try {
        const sent = await round();
        failures = 0;
        deaf = false;
        if (sent < maxEmailsPerBatch) await pause(pollIntervalMs);
      } catch (error) {
        failures += 1;
        if (failures === 1 || failures % 30 === 0) options.warn('Commands to Temporal have to wait', error);
        deaf = true;
        woken = false;
        await pause(Math.min(5_000, 250 * 2 ** Math.min(failures, 5)));
      }
    }
  }

  const running = loop();
  return {
    wake() {
      if (deaf) return;
      woken = true;
      wakeUp();
    },
    async stop() {
      stopped = true;
      wakeUp();
      await running;
    },
  };
}
